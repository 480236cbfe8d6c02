// `jsonrepair` gives text; an application parses it.
import { jsonrepair } from "jsonrepair";
import { serve } from "./loop.mjs";

serve("jsonrepair", (text) => JSON.parse(jsonrepair(text)));
