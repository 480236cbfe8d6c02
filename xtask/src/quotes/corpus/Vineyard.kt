package test.vineyard

import kotlinx.serialization.Serializable

/** A plot, named like "south slope". */
@Serializable
data class Plot(val name: String, val grape: String = "", val rows: Int = 0)

private val GRAPES = mapOf("r" to "Riesling", "s" to "Silvaner", "" to "none")

fun parse(line: String): Plot? {
    val parts = line.split(";").map { it.trim('"', ' ') }
    if (parts.size != 3 || parts[0] == "") {
        println("no plot in \"$line\"")
        return null
    }
    return Plot(parts[0], GRAPES[parts[1]] ?: "unknown", parts[2].toInt())
}

fun Plot.json() = """{"name": "$name", "grape": "$grape", "rows": $rows}"""

@Deprecated("use parse", ReplaceWith("parse(line)"))
fun old(line: String) = parse(line)

fun main(args: Array<String>) {
    val text = listOf("south slope;r;12", "\"north\";s;7", "").joinToString("\n")
    val plots = text.lines().mapNotNull(::parse)
    plots.forEach { println("${it.name}: ${it.json()}") }
    when (args.firstOrNull()) {
        "count" -> println("plots = ${plots.size}")
        "names" -> println(plots.joinToString(", ", prefix = "[", postfix = "]") { "\"${it.name}\"" })
        else -> error("usage: \"count\" or \"names\"")
    }
}
