package io.delayqueue.documentation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of the documentation.
 *
 * @param path relative to the root of the project
 * @param anchors of its headings, as GitHub makes them
 * @param links targets of links and images, in the order of the page
 * @param blocks its blocks of code
 */
record MarkdownPage(Path path, List<String> anchors, List<String> links, List<Block> blocks) {

    static final Path TRANSLATION = Path.of("README.zh-CN.md");

    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern FENCE = Pattern.compile("( *)```(\\w*)");
    private static final Pattern HEADING = Pattern.compile("#{1,6} (.+)");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)|(?:src|srcset)=\"([^\"]+)\"");
    private static final Pattern CODE = Pattern.compile("`[^`]*`");
    private static final Pattern LINK_TEXT = Pattern.compile("\\[([^\\]]*)]\\([^)]*\\)");
    private static final Pattern NOT_IN_ANCHORS = Pattern.compile("[^\\p{L}\\p{N} _-]");

    /**
     * A block of code.
     *
     * @param page the page
     * @param line the line of its first line of code, from 1
     * @param language the word after the fence, empty if there is none
     * @param comment the line before the fence
     */
    record Block(Path page, int line, String language, String comment, String text) {

        @Override
        public String toString() {
            return page + ":" + line;
        }
    }

    /** All pages: those in the root, in {@code docs} and below, and in {@code .github}. */
    static List<MarkdownPage> all() {
        try (Stream<Path> root = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
                Stream<Path> github = Files.walk(ROOT.resolve(".github"))) {
            return Stream.of(root, docs, github)
                    .flatMap(files -> files)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .map(file -> read(ROOT.relativize(file)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static MarkdownPage read(Path path) {
        List<String> anchors = new ArrayList<>();
        List<String> links = new ArrayList<>();
        List<Block> blocks = new ArrayList<>();
        Map<String, Integer> used = new HashMap<>();
        List<String> lines = lines(path);
        int i = 0;
        while (i < lines.size()) {
            String line = lines.get(i);
            var fence = FENCE.matcher(line);
            var heading = HEADING.matcher(line);
            if (fence.matches()) {
                int end = i + 1;
                while (!lines.get(end).strip().equals("```")) {
                    end++;
                }
                blocks.add(block(path, lines, i, end, fence.group(1).length(), fence.group(2)));
                i = end;
            } else if (heading.matches()) {
                String anchor = anchor(heading.group(1));
                int times = used.merge(anchor, 1, Integer::sum);
                anchors.add(times == 1 ? anchor : anchor + "-" + (times - 1));
            }
            if (!fence.matches()) {
                LINK.matcher(CODE.matcher(line).replaceAll("code"))
                        .results()
                        .forEach(found -> links.add(found.group(1) == null ? found.group(2) : found.group(1)));
            }
            i++;
        }
        return new MarkdownPage(path, anchors, links, blocks);
    }

    private static Block block(Path path, List<String> lines, int begin, int end, int indent, String language) {
        StringBuilder text = new StringBuilder();
        for (String line : lines.subList(begin + 1, end)) {
            text.append(line.substring(Math.min(indent, line.length()))).append('\n');
        }
        String comment = begin == 0 ? "" : lines.get(begin - 1);
        return new Block(path, begin + 2, language, comment, text.toString());
    }

    private static List<String> lines(Path path) {
        try {
            return Files.readAllLines(ROOT.resolve(path), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String anchor(String heading) {
        String plain = LINK_TEXT.matcher(heading).replaceAll("$1").replace("`", "");
        return NOT_IN_ANCHORS
                .matcher(plain.strip().toLowerCase(Locale.ROOT))
                .replaceAll("")
                .replace(' ', '-');
    }

    /** The blocks in one of the languages, of all pages but the translation, whose code is that of the README. */
    static List<Block> blocks(String... languages) {
        return all().stream()
                .filter(page -> !page.path().equals(TRANSLATION))
                .flatMap(page -> page.blocks().stream())
                .filter(block -> List.of(languages).contains(block.language()))
                .toList();
    }
}
