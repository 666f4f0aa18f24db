package io.delayqueue.compatibility;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What {@code docs/compatibility.md} says. */
final class Documented {

    static final String PASSWORD = "secret";
    static final String USER = "delayqueue";

    private static final Path FILE = Path.of("..", "..", "docs", "compatibility.md");

    private Documented() {}

    /** The rules of the user that the page documents, without name and password. */
    static List<String> rules() {
        return rules("acl");
    }

    /** What the page adds for a Cluster. */
    static List<String> clusterRules() {
        return rules("acl-cluster");
    }

    /** {@code ACL SETUSER} for the documented user with further or fewer rules. */
    static String[] setUser(List<String> rules) {
        List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", USER, "reset", "on", ">" + PASSWORD));
        command.addAll(rules);
        return command.toArray(String[]::new);
    }

    /** The lines between the markers of this name, without comments. */
    static List<String> part(String name) {
        List<String> lines = read();
        int start = lines.indexOf("<!-- " + name + " -->");
        int end = lines.indexOf("<!-- end of " + name + " -->");
        if (start < 0 || end < start) {
            throw new IllegalStateException(FILE + " has no part " + name);
        }
        return lines.subList(start + 1, end).stream()
                .filter(line -> !line.startsWith("<!--"))
                .toList();
    }

    private static List<String> rules(String name) {
        return part(name).stream()
                .filter(line -> !line.startsWith("```"))
                .flatMap(line -> Arrays.stream(line.trim().split("[ \\\\]+")))
                .filter(word -> !word.isEmpty())
                .dropWhile(word -> "~&+-".indexOf(word.charAt(0)) < 0 && !word.startsWith("reset"))
                .toList();
    }

    private static List<String> read() {
        try {
            return Files.readAllLines(FILE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
