package io.delayqueue.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Links between pages, and to files of the project. */
class LinksTests {

    private static final int README_WORDS = 1000;

    private final Map<Path, MarkdownPage> pages =
            MarkdownPage.all().stream().collect(Collectors.toMap(MarkdownPage::path, Function.identity()));

    @Test
    void eachLinkHasATarget() {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (MarkdownPage page : pages.values()) {
            for (String link : page.links()) {
                if (!link.contains("://")) {
                    links++;
                    if (!exists(page, link)) {
                        broken.add(page.path() + " → " + link);
                    }
                }
            }
        }

        assertThat(broken).as("links without a target").isEmpty();
        assertThat(links).isGreaterThan(150);
    }

    private boolean exists(MarkdownPage page, String link) {
        String file = link.replaceFirst("#.*", "");
        String anchor = link.contains("#") ? link.substring(link.indexOf('#') + 1) : "";
        Path target =
                file.isEmpty() ? page.path() : page.path().resolveSibling(file).normalize();
        if (!Files.exists(MarkdownPage.ROOT.resolve(target))) {
            return false;
        }
        return anchor.isEmpty()
                || pages.containsKey(target) && pages.get(target).anchors().contains(anchor);
    }

    @Test
    void theTableOfContentsHasEachPage() {
        Path docs = Path.of("docs");
        List<Path> listed = pages.get(docs.resolve("README.md")).links().stream()
                .map(link -> docs.resolve(link).normalize())
                .toList();

        assertThat(pages.keySet().stream()
                        .filter(page -> page.startsWith(docs) && !page.startsWith(docs.resolve("adr")))
                        .filter(page -> !page.equals(docs.resolve("README.md"))))
                .isSubsetOf(listed);
    }

    @Test
    void theReadmeIsShort() throws Exception {
        assertThat(Files.readString(MarkdownPage.ROOT.resolve("README.md")).split("\\s+"))
                .hasSizeLessThanOrEqualTo(README_WORDS);
    }

    @Test
    void anchorsAreThoseOfGitHub() {
        assertThat(MarkdownPage.read(Path.of("docs/sending.md")).anchors())
                .contains("cancel-reschedule-find", "when-a-send-fails");
        assertThat(MarkdownPage.read(Path.of("docs/migration.md")).anchors())
                .contains("from-redissons-rdelayedqueue", "from-javautilconcurrentdelayqueue");
    }
}
