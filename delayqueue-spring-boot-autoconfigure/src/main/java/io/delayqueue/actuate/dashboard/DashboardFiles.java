package io.delayqueue.actuate.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.core.io.ClassPathResource;
import org.springframework.util.MimeType;

/**
 * The files of the dashboard, read from the resources of this package.
 *
 * @param page the page, with placeholders for addresses
 * @param parts the files that the page loads, by name
 */
record DashboardFiles(String page, Map<String, Part> parts) {

    static final String PAGE = "index.html";

    static final List<String> PARTS = List.of(
            "actions.js",
            "api.js",
            "app.js",
            "charts.css",
            "charts.js",
            "coming.js",
            "confirm.js",
            "course.js",
            "detail.js",
            "dom.js",
            "favicon.svg",
            "find.js",
            "findings.js",
            "format.js",
            "history.js",
            "holders.js",
            "jobs.js",
            "keys.js",
            "limits.js",
            "lists.js",
            "order.js",
            "overview.js",
            "pauses.js",
            "redis.js",
            "schedules.js",
            "search.js",
            "shards.js",
            "stack.js",
            "state.js",
            "style.css",
            "table.js",
            "throughput.js",
            "topic.js",
            "topics.js");

    private static final Map<String, MimeType> TYPES = Map.of(
            "js", new MimeType("text", "javascript", StandardCharsets.UTF_8),
            "css", new MimeType("text", "css", StandardCharsets.UTF_8),
            "svg", new MimeType("image", "svg+xml"));

    static DashboardFiles load() {
        Map<String, Part> parts = new HashMap<>();
        for (String name : PARTS) {
            MimeType type = TYPES.get(name.substring(name.indexOf('.') + 1));
            if (type == null) {
                throw new IllegalStateException("Unknown type of the dashboard's file " + name);
            }
            parts.put(name, new Part(type, read(name)));
        }
        return new DashboardFiles(new String(read(PAGE), StandardCharsets.UTF_8), Map.copyOf(parts));
    }

    private static byte[] read(String name) {
        try {
            return new ClassPathResource(name, DashboardFiles.class).getContentAsByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A file. The content is not copied and must not be modified. */
    @SuppressWarnings("ArrayRecordComponent")
    record Part(MimeType type, byte[] content) {}
}
