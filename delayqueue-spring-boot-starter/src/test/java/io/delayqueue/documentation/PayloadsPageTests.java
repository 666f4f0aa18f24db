package io.delayqueue.documentation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.convert.JsonPayloadConverter;
import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.documentation.MarkdownPage.Block;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The cases of docs/payloads.md: stored JSON, the type that reads it, and the result. */
class PayloadsPageTests {

    private static final Pattern TYPE = Pattern.compile("(?m)^(?:record|final class) (\\w+)");

    @TestFactory
    Stream<DynamicTest> eachCaseIsReadAsThePageSays(@TempDir Path folder) throws Exception {
        List<Block> blocks = MarkdownPage.read(Path.of("docs/payloads.md")).blocks();
        List<Block> types = new ArrayList<>();
        List<DynamicTest> cases = new ArrayList<>();
        for (int i = 0; i + 2 < blocks.size(); i++) {
            if (blocks.get(i).language().equals("json")) {
                int number = types.size();
                types.add(blocks.get(i + 1));
                String json = blocks.get(i).text();
                Block result = blocks.get(i + 2);
                cases.add(DynamicTest.dynamicTest(
                        blocks.get(i).toString(),
                        () -> assertThat(read(json, type(folder, types.get(number), number)))
                                .as(result.toString())
                                .isEqualTo(result.text().strip())));
            }
        }
        assertThat(new JavaExamples(types).compile(folder)).isEmpty();
        assertThat(cases).hasSizeGreaterThanOrEqualTo(6);
        return cases.stream();
    }

    private static String read(String json, Class<?> type) {
        try {
            return new JsonPayloadConverter(JsonMapper.shared())
                    .read(json.getBytes(UTF_8), type)
                    .toString();
        } catch (PayloadConversionException e) {
            return "unreadable";
        }
    }

    private static Class<?> type(Path folder, Block block, int number) throws Exception {
        Matcher name = TYPE.matcher(block.text());
        assertThat(name.find()).as(block.toString()).isTrue();
        URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, PayloadsPageTests.class.getClassLoader());
        return Arrays.stream(loader.loadClass("example.Example" + number).getDeclaredClasses())
                .filter(each -> each.getSimpleName().equals(name.group(1)))
                .findFirst()
                .orElseThrow();
    }
}
