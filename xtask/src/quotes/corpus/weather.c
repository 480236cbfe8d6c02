#include <stdio.h>
#include <string.h>
#include "station.h"

#define NAME "station \"north\""
#define ROW(name, value) { "" name "", value }

static const char *const KINDS[] = { "rain", "snow", "hail", "" };

struct row {
    const char *name;
    double value;
};

/* Prints rows as JSON: {"name": "rain", "value": 1.50}. */
static void print_rows(const struct row *rows, size_t count) {
    printf("[");
    for (size_t i = 0; i < count; i++) {
        printf("%s{\"name\": \"%s\", \"value\": %.2f}", i ? ", " : "", rows[i].name, rows[i].value);
    }
    puts("]");
}

static int kind_of(const char *text) {
    for (int i = 0; KINDS[i][0] != '\0'; i++) {
        if (strcmp(text, KINDS[i]) == 0) {
            return i;
        }
    }
    fprintf(stderr, "unknown kind \"%s\"\n", text);
    return -1;
}

int main(int argc, char **argv) {
    struct row rows[] = { ROW("rain", 1.5), ROW("snow", 0.0), { "hail", 2e3 } };
    if (argc > 1 && kind_of(argv[1]) < 0) {
        return 1;
    }
    printf(NAME ":\t%c%s%c\n", '"', "rows", '"');
    print_rows(rows, sizeof rows / sizeof rows[0]);
    return 0;
}
