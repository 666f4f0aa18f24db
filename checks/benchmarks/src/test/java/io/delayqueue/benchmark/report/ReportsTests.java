package io.delayqueue.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayqueue.benchmark.report.Goal.Verdict;
import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import io.delayqueue.benchmark.result.Run;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files in the directory of a report. */
class ReportsTests {

    @TempDir
    private Path temporary;

    @Test
    void numbersAndDocumentAreWritten() throws IOException {
        Path directory = temporary.resolve("not/yet/there");

        List<Goal> goals = new Reports().write(FullRun.of(), directory);

        assertThat(goals).isEqualTo(Goals.of(new Summary(FullRun.of())));
        assertThat(new RunFile(directory.resolve(Reports.RESULTS)).read()).isEqualTo(FullRun.of());
        assertThat(directory.resolve(Reports.REPORT)).content().startsWith("# Benchmark, profile full\n");
    }

    @Test
    void chartsAreWrittenAndLinked() throws IOException {
        assumeTrue(canDraw());

        new Reports().write(FullRun.of(), temporary);

        String document = Files.readString(temporary.resolve(Reports.REPORT));
        for (String picture : List.of("rates.png", "lateness.png", "growth.png", "cpu.png")) {
            assertThat(document).contains("](" + picture + ")");
            BufferedImage image = ImageIO.read(temporary.resolve(picture).toFile());
            assertThat(image.getWidth()).as(picture).isBetween(1_500, 3_000);
        }
    }

    @Test
    void chartsAreDrawnWithMissingMeasurements() throws IOException {
        assumeTrue(canDraw());
        Run run = new RunBuilder()
                .rate(Measure.SEND, Party.PRODUCT, 0, 4_000, Double.NaN)
                .rate(Measure.SEND, Party.PRODUCT, 10_000, Double.NaN, 3_000)
                .rate(Measure.SEND, Party.FLOOR_JEDIS, 10_000, 3_000)
                .rate(Measure.SEND, Party.FLOOR_LETTUCE, 0, 0)
                .rate(Measure.DRAIN, Party.FLOOR_LETTUCE, 0, 0)
                .product(Measure.LATENESS, Quantity.P50, 0)
                .product(Measure.LATENESS, Quantity.MAX, 1)
                .rounds(Measure.LATENESS, Party.PRODUCT, 1_000_000, Quantity.P50, 0)
                .product(Measure.DRAIN, Quantity.CPU_USER, 0)
                .product(Measure.DRAIN, Quantity.CPU_SYSTEM, 0)
                .build();

        List<Picture> pictures = Charts.draw(new Summary(run), temporary);

        assertThat(pictures)
                .extracting(Picture::file)
                .containsExactly("rates.png", "lateness.png", "growth.png", "cpu.png")
                .allSatisfy(file -> assertThat(temporary.resolve(file)).isNotEmptyFile());
    }

    @Test
    void existingReportIsReplaced() throws IOException {
        new Reports().write(FullRun.of(), temporary);
        Run later = new RunBuilder().rate(Measure.SEND, Party.PRODUCT, 0, 1_234).build();

        new Reports().write(later, temporary);

        assertThat(new RunFile(temporary.resolve(Reports.RESULTS)).read()).isEqualTo(later);
        assertThat(Files.readString(temporary.resolve(Reports.REPORT)))
                .contains("1,234")
                .doesNotContain("lateness.png");
    }

    @Test
    void runWithoutSamplesIsReported() throws IOException {
        List<Goal> goals = new Reports().write(new RunBuilder().build(), temporary);

        assertThat(goals).isNotEmpty().allMatch(goal -> goal.verdict() == Verdict.NOT_MEASURED);
        assertThat(temporary).isDirectoryNotContaining("glob:**.png");
    }

    @ParameterizedTest
    @MethodSource("whatIsNoNumber")
    void nonFiniteValuesAreOmitted(double none) throws IOException {
        RunBuilder run = new RunBuilder();
        int omitted = 2 * Measure.values().length * Party.values().length * Quantity.values().length + 3;
        for (Measure measure : Measure.values()) {
            for (Party party : Party.values()) {
                for (Quantity quantity : Quantity.values()) {
                    run.sample(measure, party, 0, 1, Map.of(quantity, none));
                    run.sample(measure, party, 10_000, 1, Map.of(quantity, none));
                }
            }
        }
        run.rate(Measure.SEND, Party.PRODUCT, 0, 4_000, none);
        run.rate(Measure.SEND, Party.PRODUCT, 10_000, none, 3_000);
        run.rate(Measure.SEND, Party.FLOOR_LETTUCE, 0, 0, none);

        new Reports().write(run.build(), temporary);

        assertThat(Files.readString(temporary.resolve(Reports.REPORT)))
                .contains("left out: " + Numbers.count(omitted) + ".")
                .contains("| delayqueue | 4,000 | – |")
                .doesNotContain("NaN", "Infinity", "∞", "null");
        assertThat(new RunFile(temporary.resolve(Reports.RESULTS)).read()).isEqualTo(run.build());
    }

    static Stream<Double> whatIsNoNumber() {
        return Stream.of(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
    }

    @ParameterizedTest
    @MethodSource("missingLibraries")
    void chartsAreOmittedIfALibraryIsMissing(Reports.Drawing drawing) throws IOException {
        List<Goal> goals = new Reports(drawing).write(FullRun.of(), temporary);

        assertThat(goals).isNotEmpty();
        assertThat(Files.readString(temporary.resolve(Reports.REPORT)))
                .contains("## Measurements", "](" + Overview.LIGHT + ")")
                .doesNotContain(".png");
    }

    static Stream<Reports.Drawing> missingLibraries() {
        return Stream.of(
                (summary, directory) -> {
                    throw new UnsatisfiedLinkError("libfreetype.so.6: cannot open shared object file");
                },
                (summary, directory) -> {
                    throw new NoClassDefFoundError("Could not initialize class sun.font.SunFontManager");
                },
                (summary, directory) -> {
                    throw new InternalError("Fontconfig head is null, check your fonts or fonts configuration");
                },
                (summary, directory) -> {
                    throw new NullPointerException();
                });
    }

    /** Whether this machine has fonts and the libraries to draw. */
    private static boolean canDraw() {
        System.setProperty("java.awt.headless", "true");
        try {
            Graphics2D graphics = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
            graphics.getFontMetrics().stringWidth("rate");
            graphics.dispose();
            return true;
        } catch (LinkageError | InternalError | RuntimeException e) {
            return false;
        }
    }
}
