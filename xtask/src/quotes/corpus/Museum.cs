using System;
using System.Collections.Generic;
using System.Text.Json.Serialization;

namespace Museum
{
    /// <summary>An exhibit with a "label".</summary>
    public record Exhibit([property: JsonPropertyName("label")] string Label, string Room = "");

    public static class Catalogue
    {
        private const string Path = @"C:\Museum\catalogue.json";
        private static readonly Dictionary<string, string> Rooms = new()
        {
            ["a"] = "Antiques",
            ["b"] = "Birds",
            { "c", "Clocks" },
        };

        public static string Describe(Exhibit exhibit)
        {
            if (exhibit.Label == "" || string.IsNullOrEmpty(exhibit.Room))
            {
                throw new ArgumentException("an exhibit needs a \"label\" and a room", nameof(exhibit));
            }
            return $"\"{exhibit.Label}\" in {Rooms[exhibit.Room]}, floor {(exhibit.Room == "a" ? "1" : "2")}";
        }

        public static string Json(Exhibit e) => "{" + $"\"label\": \"{e.Label}\", \"room\": \"{e.Room}\"" + "}";

        [Obsolete("use Json")]
        public static void Main(string[] args)
        {
            var verbatim = @"say ""hello"" twice";
            Console.WriteLine(Describe(new Exhibit("Clock", "c")));
            Console.WriteLine(string.Join(", ", args) + verbatim + Path);
        }
    }
}
