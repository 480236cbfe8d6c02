# A flour mill: orders come as "rye 20kg".
require "json"

module Mill
  KINDS = %w[rye wheat spelt].freeze
  PRICES = { "rye" => 1.2, "wheat" => 0.9, :spelt => 2.1 }.freeze

  class Order
    attr_reader :kind, :kilos

    def initialize(text)
      @kind, kilos = text.split(" ")
      raise ArgumentError, "unknown kind \"#{@kind}\"" unless KINDS.include?(@kind)
      @kilos = kilos.delete("kg").to_i
    end

    def to_json(*)
      JSON.generate({ "kind" => kind, "kilos" => kilos, "note" => "" })
    end

    def to_s = "#{kilos} kg of #{kind}" + (kilos > 50 ? " (\"large\")" : "")
  end

  def self.run(lines, out: $stdout)
    orders = lines.reject { |line| line.strip == "" }.map { |line| Order.new(line) }
    orders.each { |order| out.puts "- #{order}" }
    out.puts({ "count": orders.size, "kinds": orders.map(&:kind).uniq }.to_json)
    orders.group_by(&:kind).each do |kind, group|
      out.printf("%-8s %s\n", kind, group.map(&:to_s).join(", "))
    end
  end
end

Mill.run(["rye 20kg", "wheat 60kg", ""]) if $PROGRAM_NAME == __FILE__
puts <<~TEXT
  He said "grind", and it was "ground".
TEXT
