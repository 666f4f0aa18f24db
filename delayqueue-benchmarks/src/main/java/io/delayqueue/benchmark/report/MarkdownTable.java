package io.delayqueue.benchmark.report;

import java.util.List;
import java.util.stream.Collectors;

/** A table whose cells are plain text: what Markdown would take for its own is escaped. Not thread-safe. */
final class MarkdownTable {

    private final StringBuilder text = new StringBuilder();

    /**
     * Begins with the heads of the columns.
     *
     * @param left how many columns from the left are words; those after them are numbers and stand to the right
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

    /** The rows, each with the end of its line. */
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
