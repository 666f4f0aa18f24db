package io.delayqueue.benchmark.report;

import io.delayqueue.benchmark.result.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Writes the reports of a run. Thread-safe for different directories. */
public final class Reports {

    /** File with the run, from which all other files can be created again. */
    public static final String RESULTS = "results.json";

    /** File with the document. */
    public static final String REPORT = "report.md";

    private static final Log log = LogFactory.getLog(Reports.class);

    /** Draws the charts of a summary into a directory. */
    interface Drawing {
        List<Picture> draw(Summary summary, Path directory) throws IOException;
    }

    private final Drawing drawing;

    /** Creates reports with charts if the machine can draw them. */
    public Reports() {
        // A lambda delays the loading of Charts into the try block, because a library may be missing on this machine.
        this((summary, directory) -> Charts.draw(summary, directory));
    }

    Reports(Drawing drawing) {
        this.drawing = drawing;
    }

    /**
     * Writes the numbers, the charts and the document and replaces existing files. If a library for charts is missing,
     * a warning is logged and the charts are omitted.
     *
     * @param directory the directory, which is created if it does not exist
     * @return the goals and their results
     * @throws IOException if a file cannot be written
     */
    public List<Goal> write(Run run, Path directory) throws IOException {
        Files.createDirectories(directory);
        new RunFile(directory.resolve(RESULTS)).write(run);
        Summary summary = new Summary(run);
        List<Goal> goals = Goals.of(summary);
        List<Picture> pictures = new ArrayList<>(Overview.write(run, summary, directory));
        pictures.addAll(pictures(summary, directory));
        Files.writeString(directory.resolve(REPORT), MarkdownReport.of(run, summary, goals, pictures));
        return goals;
    }

    private List<Picture> pictures(Summary summary, Path directory) throws IOException {
        System.setProperty("java.awt.headless", "true");
        try {
            return drawing.draw(summary, directory);
        } catch (LinkageError | InternalError | RuntimeException e) {
            // The type of the error depends on the missing library and on whether this is the first attempt.
            log.warn("Charts are omitted: " + e.toString().lines().findFirst().orElse(""));
            return List.of();
        }
    }
}
