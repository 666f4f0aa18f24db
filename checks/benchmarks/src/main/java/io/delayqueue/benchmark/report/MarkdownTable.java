package io.delayqueue.benchmark.report;

import java.util.List;
import java.util.stream.Collectors;

/** A Markdown table whose cells are escaped plain text. Not thread-safe. */
final class MarkdownTable {

    private final StringBuilder text = new StringBuilder();

    /**
     * Creates a table with column headings.
     *
     * @param left the number of left-aligned columns; the columns after them contain numbers and are right-aligned
     */
    MarkdownTable(int left, List<String> heads) {
        row(heads);
        text.append('|');
        for (int column = 0; column < heads.size(); column++) {
            text.append(column < left ? "---|" : "---:|");
        }
        text.append('\n');
    }

    void row(List<String> cells) {
        text.append(cells.stream().map(MarkdownTable::escaped).collect(Collectors.joining(" | ", "| ", " |\n")));
    }

    /** The rows, each followed by a line break. */
    @Override
    public String toString() {
        return text.toString();
    }

    private static String escaped(String cell) {
        return cell.replace("\\", "\\\\")
                .replace("|", "\\|")
                .replace("*", "\\*")
                .replace("`", "\\`")
                .replace("[", "\\[")
                .replace("<", "&lt;")
                .replaceAll("\\R", " ");
    }
}
