// The elements of a tool call by a schema, which is in the file named on the command line.
import { readFileSync } from "node:fs";
import { parse } from "@ai-sdk-tool/rxml";
import { serve } from "./loop.mjs";

const schema = JSON.parse(readFileSync(process.argv[2], "utf8"));
serve("@ai-sdk-tool/rxml", (text) => parse(text, schema));
