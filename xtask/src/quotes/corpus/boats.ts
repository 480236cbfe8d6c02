import { readFile } from "node:fs/promises";
import type { Boat } from "./types";

export type Rig = "sloop" | "ketch" | "yawl" | "";
type Row = { "name": string; "rig": Rig; tags?: string[] };

const LABELS: Record<Rig, string> = { "sloop": "Sloop", "ketch": "Ketch", "yawl": "Yawl", "": "?" };

export class Fleet {
  private readonly rows = new Map<string, Row>();

  static async load(path = "boats.json"): Promise<Fleet> {
    const fleet = new Fleet();
    const rows = JSON.parse(await readFile(path, "utf8")) as Row[];
    rows.forEach((row) => fleet.rows.set(row["name"], { ...row, rig: row.rig ?? "" }));
    return fleet;
  }

  describe(name: string): string {
    const row = this.rows.get(name);
    if (row === undefined) return `no boat "${name}"`;
    return [LABELS[row.rig], row.tags?.join(", ") ?? ""].filter((part) => part !== "").join(": ");
  }
}

export const Card = ({ boat }: { boat: Boat }) => (
  <article className="card" style={{ color: "#08f", padding: "4px 8px" }} aria-label={"boat " + boat.name}>
    <h2 title="name">{boat.name || "unnamed"}</h2>
    {boat.tags.map((tag) => <span key={tag} className="tag">{`#${tag}`}</span>)}
    <a href="#boats" onClick={() => open("//maps.example.test", "_blank")}>Map</a>
  </article>
);

export const config = { "api": { "url": "https://boats.example.test", "key": "" }, "retries": 3 } as const;
