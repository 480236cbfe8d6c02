package test.loom;

import java.util.List;
import java.util.Map;
import java.util.logging.Logger;

/** Patterns such as "twill 2/2". */
public final class Loom {
    private static final Logger LOG = Logger.getLogger("loom");
    private static final Map<String, String> NAMES = Map.of("t", "twill", "p", "plain", "", "none");

    private final String name;
    private final List<String> shafts;

    public Loom(String name, List<String> shafts) {
        if (name == null || name.equals("")) {
            throw new IllegalArgumentException("a loom needs a \"name\"");
        }
        this.name = name;
        this.shafts = List.copyOf(shafts);
    }

    @Override
    public String toString() {
        return "{\"name\": \"" + name + "\", \"shafts\": [" + String.join(", ", shafts) + "]}";
    }

    @SuppressWarnings("unused")
    static String text(int rows) {
        String json = """
            {"rows": %d, "kind": "plain",
             "note": ""}
            """.formatted(rows);
        LOG.info("made " + json.length() + " characters, 'ok'");
        return json;
    }

    public static void main(String[] args) {
        Loom loom = new Loom("Glimåkra", List.of("1", "2", "3", "4"));
        switch (args.length > 0 ? args[0] : "show") {
            case "show": System.out.println(loom); break;
            case "names": System.out.println(NAMES.get("t") + ", " + NAMES.get("p")); break;
            default: System.err.printf("usage: %s \"show|names\"%n", "loom");
        }
    }
}
