package io.delayqueue.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.documentation.MarkdownPage.Block;
import io.delayqueue.metrics.DelayQueueMeters;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.json.JsonMapper;

/** Examples in other languages are well-formed, and name artifacts and versions of this project. */
class OtherExamplesTests {

    private static final Pattern GRADLE = Pattern.compile("\"io\\.delayqueue:([a-z-]+)(?::([^\"]+))?\"");
    private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");

    private static final Pattern SERIES = Pattern.compile("delayqueue_[a-z_]+");

    static List<Block> json() {
        return MarkdownPage.blocks("json");
    }

    static List<Block> shell() {
        return MarkdownPage.blocks("shell", "bash");
    }

    static List<Block> xml() {
        return MarkdownPage.blocks("xml");
    }

    static List<Block> yaml() {
        return MarkdownPage.blocks("yaml");
    }

    /** Each document of a file. */
    @ParameterizedTest
    @MethodSource("yaml")
    void yamlCanBeRead(Block block) {
        assertThat(new Yaml().loadAll(block.text()))
                .isNotEmpty()
                .allSatisfy(document -> assertThat(document).isInstanceOf(Map.class));
    }

    @Test
    void autoscalersReadAMeter() {
        List<Block> files = MarkdownPage.blocks("yaml").stream()
                .filter(block ->
                        block.text().startsWith("apiVersion:") || block.text().startsWith("externalRules:"))
                .toList();
        assertThat(files)
                .hasSizeGreaterThanOrEqualTo(3)
                .allSatisfy(block -> assertThat(
                                SERIES.matcher(block.text()).results().map(MatchResult::group))
                        .isNotEmpty()
                        .containsOnly(
                                DelayQueueMeters.REQUIRED_HANDLERS.getName().replace('.', '_')));
    }

    @ParameterizedTest
    @MethodSource("json")
    void jsonCanBeRead(Block block) {
        JsonMapper.shared().readTree(block.text());
    }

    /** The examples with curl are run by the tests of the endpoint and of the HTTP interfaces. */
    @ParameterizedTest
    @MethodSource("shell")
    void shellCanBeParsed(Block block) throws Exception {
        Process bash = new ProcessBuilder("bash", "-n", "-c", block.text())
                .redirectErrorStream(true)
                .start();
        String said = new String(bash.getInputStream().readAllBytes());
        assertThat(bash.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(bash.exitValue()).as(block + ": " + said).isZero();
    }

    /** Only the text around the code is translated. */
    @Test
    void codeOfTheChinesePageIsThatOfTheReadme() {
        List<String> code = MarkdownPage.read(MarkdownPage.TRANSLATION).blocks().stream()
                .map(Block::text)
                .toList();
        assertThat(code).isNotEmpty();
        assertThat(MarkdownPage.read(Path.of("README.md")).blocks().stream().map(Block::text))
                .containsAll(code);
    }

    @Test
    void composeFilesHaveServices() {
        List<Block> files = MarkdownPage.blocks("yaml").stream()
                .filter(block -> block.text().startsWith("services:"))
                .toList();
        assertThat(files).isNotEmpty().allSatisfy(block -> {
            Map<String, Map<String, Object>> file = new Yaml().load(block.text());
            assertThat(file.get("services")).containsKey("redis");
        });
    }

    @ParameterizedTest
    @MethodSource("xml")
    void dependenciesOfMavenExist(Block block) throws Exception {
        String text = block.text().startsWith("<?xml") ? block.text() : "<root>" + block.text() + "</root>";
        Element root = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(text)))
                .getDocumentElement();
        NodeList dependencies = root.getElementsByTagName("dependency");
        assertThat(dependencies.getLength()).isPositive();
        for (int i = 0; i < dependencies.getLength(); i++) {
            Element dependency = (Element) dependencies.item(i);
            if (text(dependency, "groupId").equals("io.delayqueue")) {
                assertArtifact(text(dependency, "artifactId"), text(dependency, "version"));
            }
        }
    }

    @Test
    void dependenciesOfGradleExist() throws Exception {
        for (Block block : MarkdownPage.blocks("kotlin")) {
            if (!block.text().contains("dependencies {")) {
                continue; // code, which delayqueue-kotlin-tests compiles
            }
            List<MatchResult> found = GRADLE.matcher(block.text()).results().toList();
            assertThat(found).as(block.toString()).isNotEmpty();
            for (MatchResult each : found) {
                assertArtifact(each.group(1), each.group(2) == null ? "" : each.group(2));
            }
        }
    }

    private static String text(Element parent, String name) {
        NodeList found = parent.getElementsByTagName(name);
        return found.getLength() == 0 ? "" : found.item(0).getTextContent();
    }

    private static void assertArtifact(String artifact, String version) throws Exception {
        Path pom = MarkdownPage.ROOT.resolve(artifact).resolve("pom.xml");
        assertThat(pom).exists();
        if (!version.isEmpty()) {
            var own = VERSION.matcher(Files.readString(pom));
            assertThat(own.find()).isTrue();
            assertThat(version).as(artifact).isEqualTo(own.group(1));
        }
    }

    @Test
    void theVersionOfSpringBootIsThatOfTheBuild() throws Exception {
        String pom = Files.readString(MarkdownPage.ROOT.resolve("pom.xml"));
        String version = pom.replaceAll("(?s).*<spring-boot.version>([^<]+)<.*", "$1");
        String page = Files.readString(MarkdownPage.ROOT.resolve("docs/getting-started.md"));
        assertThat(page)
                .contains("<version>" + version + "</version>")
                .contains("id(\"org.springframework.boot\") version \"" + version + "\"");
    }
}
