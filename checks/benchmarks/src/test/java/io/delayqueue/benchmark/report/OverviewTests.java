package io.delayqueue.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The picture of the rate of a drain. */
class OverviewTests {

    @TempDir
    private Path directory;

    private final RunBuilder run = new RunBuilder();

    @Test
    void barsAreProportionalToTheValues() throws Exception {
        run.environment("Processors", "2")
                .environment("Server", "Redis 8.2.1, appendonly no")
                .rate(Measure.DRAIN, Party.PRODUCT, 0, 60_000)
                .rate(Measure.DRAIN, Party.REDISSON, 0, 30_000)
                .rate(Measure.DRAIN, Party.FLOOR_JEDIS, 0, 59_000)
                .rate(Measure.DRAIN, Party.FLOOR_LETTUCE, 0, 120_000);

        Document picture = write(Overview.LIGHT);

        assertThat(attributes(picture, "rect", "width")).containsExactly("181", "91", "362");
        assertThat(texts(picture))
                .containsExactly(
                        "drain: deliver due messages to 8 handlers",
                        "delayqueue",
                        "60,000/s",
                        "Redisson",
                        "30,000/s",
                        "floor",
                        "120,000/s",
                        "Messages of 200 bytes, Redis 8.2.1 and clients on 2 processors",
                        "One round",
                        "Floor: delayqueue's scripts with prepared arguments, bare client",
                        "Redisson: no acknowledgement, many messages up to 1 ms early");
    }

    @Test
    void valuesHaveThreeSignificantDigits() throws Exception {
        run.rate(Measure.DRAIN, Party.PRODUCT, 0, 184_321).rate(Measure.DRAIN, Party.BULLMQ, 0, 5_000);

        assertThat(texts(write(Overview.DARK))).contains("184,000/s", "5,000/s");
    }

    @Test
    void filesDifferInColoursOnly() throws Exception {
        Document light = write(FullRun.of(), Overview.LIGHT);
        Document dark = write(FullRun.of(), Overview.DARK);

        assertThat(texts(light)).isEqualTo(texts(dark));
        assertThat(attributes(light, "rect", "width")).isEqualTo(attributes(dark, "rect", "width"));
        assertThat(attributes(light, "text", "fill")).doesNotContainAnyElementsOf(attributes(dark, "text", "fill"));
    }

    @Test
    void sameRunResultsInTheSameFile() throws Exception {
        Document ignored = write(FullRun.of(), Overview.LIGHT);
        String first = Files.readString(directory.resolve(Overview.LIGHT));

        ignored = write(FullRun.of(), Overview.LIGHT);

        assertThat(directory.resolve(Overview.LIGHT)).hasContent(first);
    }

    @Test
    void descriptionNamesAllValues() throws Exception {
        run.rate(Measure.DRAIN, Party.PRODUCT, 0, 140_000).rate(Measure.DRAIN, Party.BULLMQ, 0, 20_000);

        assertThat(Overview.write(run.build(), run.summary(), directory))
                .containsExactly(new Picture(
                        Overview.LIGHT,
                        "drain: deliver due messages to 8 handlers: delayqueue 140,000/s, BullMQ 20,000/s"));
    }

    @Test
    void runWithoutADrainHasNoPicture() throws IOException {
        run.rate(Measure.BURST, Party.PRODUCT, 0, 140_000);

        assertThat(Overview.write(run.build(), run.summary(), directory)).isEmpty();
        assertThat(directory).isEmptyDirectory();
    }

    private Document write(String file) throws Exception {
        return write(run.build(), file);
    }

    private Document write(Run written, String file) throws Exception {
        List<Picture> pictures = Overview.write(written, new Summary(written), directory);
        assertThat(pictures).hasSize(1);
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(directory.resolve(file).toFile());
    }

    private static List<String> texts(Document picture) {
        return elements(picture, "text").stream().map(Element::getTextContent).toList();
    }

    private static List<String> attributes(Document picture, String element, String name) {
        return elements(picture, element).stream()
                .map(found -> found.getAttribute(name))
                .toList();
    }

    private static List<Element> elements(Document picture, String name) {
        NodeList found = picture.getElementsByTagName(name);
        return IntStream.range(0, found.getLength())
                .mapToObj(index -> (Element) found.item(index))
                .toList();
    }
}
