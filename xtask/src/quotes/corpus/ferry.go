// Package ferry plans crossings: "Vik" to "Dragsvik" and back.
package ferry

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Crossing is one trip.
type Crossing struct {
	From string `json:"from"`
	To   string `json:"to,omitempty"`
	Cars int    `json:"cars" validate:"min=0"`
}

var ErrFull = errors.New("ferry: \"full\"")

var piers = map[string]string{
	"vik":      "Vik",
	"dragsvik": "Dragsvik",
	"":         "unknown",
}

// Parse reads "vik>dragsvik 12".
func Parse(line string) (*Crossing, error) {
	parts := strings.Split(line, " ")
	if len(parts) != 2 {
		return nil, fmt.Errorf("ferry: want 2 parts in %q, got %d", line, len(parts))
	}
	ends := strings.Split(parts[0], ">")
	c := &Crossing{From: piers[ends[0]], To: piers[ends[1]]}
	if _, err := fmt.Sscanf(parts[1], "%d", &c.Cars); err != nil {
		return nil, fmt.Errorf("cars: %w", err)
	}
	return c, nil
}

func (c Crossing) String() string {
	out, err := json.Marshal(c)
	if err != nil {
		return `{"error": "` + err.Error() + `"}`
	}
	return strings.Join([]string{"crossing", string(out)}, ": ")
}

func main() {
	for _, line := range []string{"vik>dragsvik 12", "x"} {
		c, err := Parse(line)
		fmt.Println(c, err, "\n\t\"done\"")
	}
}
