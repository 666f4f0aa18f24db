package io.delayqueue.documentation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Measured figures in the picture and in other pages are those of the tables in docs/performance.md. */
class MeasuredFiguresTests {

    private static final Pattern NUMBER = Pattern.compile("\\d{1,3}(?:,\\d{3})+|\\d+(?:\\.\\d+)?");
    /**
     * A rate, a time or a size: a number with a separator, a fraction or a unit. Other numbers may be counts of threads or
     * nodes.
     */
    private static final Pattern FIGURE = Pattern.compile("\\d{1,3}(?:,\\d{3})+|\\d+\\.\\d+(?= ms)|\\d+(?= B\\b)");

    private static Set<Double> measured() throws IOException {
        String page = read("docs/performance.md");
        return numbers(NUMBER, page.substring(page.indexOf("\n## Results\n"), page.indexOf("\n## How to run")))
                .collect(Collectors.toSet());
    }

    private static Stream<Double> numbers(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> Double.valueOf(found.group().replace(",", "")));
    }

    private static String read(String file) throws IOException {
        return Files.readString(MarkdownPage.ROOT.resolve(file), UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void thePictureHasTheFiguresOfTheTable(String theme) throws IOException {
        String picture = read("docs/images/overview-" + theme + ".svg");
        String values = picture.substring(picture.indexOf("<title>"), picture.indexOf("</title>"));

        assertThat(numbers(Pattern.compile("(?<=(?:delayqueue|Redisson|BullMQ|floor) )[\\d,.]*\\d"), values))
                .hasSize(4)
                .isSubsetOf(measured());
    }

    @Test
    void otherPagesHaveTheFiguresOfTheTable() throws IOException {
        Set<Double> measured = measured();
        for (String page :
                new String[] {"README.md", "docs/comparison.md", "docs/faq.md", "docs/keys.md", "docs/scaling.md"}) {
            String paragraphs = Stream.of(read(page).split("\n\n"))
                    .filter(paragraph -> paragraph.contains("performance.md)"))
                    .collect(Collectors.joining("\n"));

            assertThat(paragraphs).as(page).isNotEmpty();
            assertThat(numbers(FIGURE, paragraphs)).as(page).isSubsetOf(measured);
        }
    }
}
