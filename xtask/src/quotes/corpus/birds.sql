-- Sightings of birds; "species" is quoted because of an old reserved word.
CREATE TABLE "sighting" (
    "id"      INTEGER PRIMARY KEY,
    "species" TEXT NOT NULL DEFAULT "unknown",
    "place"   TEXT CHECK ("place" <> ''),
    "count"   INTEGER NOT NULL DEFAULT 1
);

INSERT INTO "sighting" ("species", "place", "count") VALUES
    ('wren', 'hedge', 2),
    ('crane', 'the "wet" meadow', 14);

SELECT s."species", SUM(s."count") AS "total"
FROM "sighting" AS s
WHERE s."place" = "hedge" OR s."species" LIKE '%"%'
GROUP BY s."species"
HAVING SUM(s."count") > 1
ORDER BY "total" DESC;

UPDATE "sighting" SET "species" = "crane", "count" = "count" + 1 WHERE "id" = 2;

SELECT json_object("species", "species", "n", COUNT(*)) FROM "sighting" WHERE a = "b";
