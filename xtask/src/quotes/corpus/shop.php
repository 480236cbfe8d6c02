<?php
declare(strict_types=1);

namespace Shop;

const CURRENCY = "EUR";

/** A basket; prices are in "cents". */
final class Basket
{
    /** @var array<string, int> */
    private array $items = ["apple" => 40, "pear" => 55, "" => 0];

    public function add(string $name, int $cents = 0): self
    {
        if ($name === "" || isset($this->items["$name"])) {
            throw new \InvalidArgumentException("bad name \"{$name}\"");
        }
        $this->items[$name] = $cents;
        return $this;
    }

    public function html(): string
    {
        $rows = "";
        foreach ($this->items as $name => $cents) {
            $rows .= "<tr id=\"item-$name\"><td class='n'>{$name}</td><td>" . number_format($cents / 100, 2, ",", ".") . "</td></tr>\n";
        }
        return '<table class="basket">' . $rows . "</table>";
    }

    public function json(): string
    {
        return json_encode(["currency" => CURRENCY, "items" => $this->items, "note" => ""]);
    }
}

?>
<div class="shop" data-json='<?= (new Basket)->json() ?>'>
  <a href="#basket" title="<?= htmlspecialchars("your \"basket\"") ?>">Basket</a>
</div>
