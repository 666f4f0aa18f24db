package io.delayqueue.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All Java of the documentation compiles. A block is a compilation unit, members of a class, statements, or statements
 * followed by members. Names that it does not declare are those of {@link Names}. Left out are blocks whose comment names
 * a test of another module, which has the libraries that they use.
 */
class JavaExamplesTests {

    @TempDir
    private Path folder;

    @Test
    void eachBlockCompiles() throws Exception {
        List<MarkdownPage.Block> blocks = MarkdownPage.blocks("java").stream()
                .filter(block -> !block.comment().startsWith("<!-- compiled and run by"))
                .toList();

        assertThat(new JavaExamples(blocks).compile(folder)).isEmpty();
        assertThat(blocks).hasSizeGreaterThan(40);
    }

    @Test
    void anUnknownMethodIsAnError() throws Exception {
        MarkdownPage.Block block = new MarkdownPage.Block(
                Path.of("page.md"), 7, "java", "", "delayQueue.sendLater(\"topic\", \"text\");\n");

        assertThat(new JavaExamples(List.of(block)).compile(folder))
                .singleElement()
                .asString()
                .contains("sendLater", "page.md:7");
    }
}
