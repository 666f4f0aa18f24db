package io.delayqueue.documentation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.documentation.MarkdownPage.Block;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Properties and YAML of the documentation are those of an application that starts. */
class ConfigurationExamplesTests {

    /** Variables, and what the documentation leaves out. */
    private static final Pattern LEFT_OUT = Pattern.compile("\\$\\{[^}]*}|<[^>]*>|\\S*…");

    /** Docker Compose, Kubernetes, and the Prometheus adapter. OtherExamplesTests reads them. */
    private static final Pattern OF_OTHER_PROGRAMS = Pattern.compile("services:|apiVersion:|externalRules:");

    /** A text that is valid as a token. */
    private static final String SOMETHING = "0123456789abcdef";

    static List<Block> configurations() {
        return MarkdownPage.blocks("properties", "yaml").stream()
                .filter(block -> !OF_OTHER_PROGRAMS.matcher(block.text()).lookingAt())
                .toList();
    }

    @Test
    void someAreFound() {
        assertThat(configurations()).hasSizeGreaterThan(12);
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void keysOfTheQueueAreBound(Block block) throws IOException {
        bind(properties(block));
    }

    @Test
    void anUnknownKeyIsAnError() {
        Map<String, Object> unknown = Map.of("delayqueue.listener.concurency", "8");
        assertThatThrownBy(() -> bind(unknown)).hasStackTraceContaining("concurency");
    }

    private static void bind(Map<String, Object> properties) {
        new Binder(new MapConfigurationPropertySource(properties))
                .bind(
                        "delayqueue",
                        Bindable.of(DelayQueueProperties.class),
                        new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void otherKeysAreKnown(Block block) throws IOException {
        assertThat(properties(block).keySet())
                .filteredOn(key -> !key.startsWith("delayqueue."))
                .allSatisfy(key -> assertThat(isKnown(key)).as(key).isTrue());
    }

    private static boolean isKnown(String key) {
        String canonical = key.replaceAll("\\[[^]]*]", "");
        for (String prefix = canonical; !prefix.isEmpty(); prefix = parent(prefix)) {
            if (prefix.equals(canonical) ? Metadata.NAMES.contains(prefix) : Metadata.MAPS.contains(prefix)) {
                return true;
            }
        }
        return false;
    }

    private static String parent(String key) {
        return key.contains(".") ? key.substring(0, key.lastIndexOf('.')) : "";
    }

    private static Map<String, Object> properties(Block block) throws IOException {
        AtomicInteger number = new AtomicInteger();
        String text = LEFT_OUT.matcher(block.text()).replaceAll(found -> SOMETHING + number.incrementAndGet());
        ByteArrayResource resource = new ByteArrayResource(text.getBytes(UTF_8));
        List<PropertySource<?>> sources = block.language().equals("yaml")
                ? new YamlPropertySourceLoader().load(block.toString(), resource)
                : new PropertiesPropertySourceLoader().load(block.toString(), resource);
        Map<String, Object> properties = new TreeMap<>();
        for (PropertySource<?> source : sources) {
            for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                properties.put(name, String.valueOf(source.getProperty(name)));
            }
        }
        assertThat(properties).as(block.toString()).isNotEmpty();
        return properties;
    }

    /** The configuration metadata of Spring Boot and of the queue. */
    private static final class Metadata {

        static final Set<String> NAMES = new HashSet<>();
        static final Set<String> MAPS = new HashSet<>();

        static {
            try {
                for (URL url : Collections.list(
                        Metadata.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
                    JsonMapper.shared()
                            .readTree(url.openStream())
                            .path("properties")
                            .forEach(Metadata::add);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void add(JsonNode property) {
            String name = property.path("name").asString();
            NAMES.add(name);
            if (property.path("type").asString("").startsWith("java.util.Map")) {
                MAPS.add(name);
            }
        }
    }
}
