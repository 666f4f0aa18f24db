package io.delayqueue.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The documented ACL user has all the permissions that it needs, and no others. */
@ParameterizedClass(name = "{0}")
@MethodSource("servers")
@ExtendWith(OutputCaptureExtension.class)
class AclTests {

    /** Without them the queue works; the page says what is missing then. */
    private static final Set<String> WITHOUT_AN_ERROR = Set.of("+info", "+pexpire", "+unsubscribe");

    private static final Pattern WORD = Pattern.compile("'([A-Z]{3,})'");

    private static final Map<String, String> FAST = Map.of(
            "delayqueue.engine.heartbeat", "100ms",
            "delayqueue.engine.heartbeat-timeout", "1s",
            "delayqueue.redis.reconnect-delay", "10ms");

    private ConfigurableApplicationContext context;

    @Parameter
    private TestServer server;

    private RunningRedis redis;

    static List<TestServer> servers() {
        return Stream.of(Stream.of(TestServer.embedded()), TestServer.redis6().stream(), TestServer.more().stream())
                .flatMap(servers -> servers)
                .toList();
    }

    @BeforeEach
    void start() {
        redis = Access.start(server, Certificates.SERVER);
        context = CompatibilityApplication.start(redis, FAST);
    }

    @AfterEach
    void stop() {
        context.close();
        redis.close();
    }

    @Test
    void documentedPermissionsSuffice() {
        assertThat(new Exercise(context, Duration.ofSeconds(20)).until(message -> true))
                .isNull();
        context.close();
        assertThat(aclLog())
                // Lettuce names itself by CLIENT SETINFO, and goes on if it may not.
                .allMatch(entry -> entry.contains("object, client,") || entry.contains("object, client|setinfo,"));
    }

    @Test
    @Tag("long")
    @Tag("compatibility")
    void eachDocumentedPermissionIsNeeded(CapturedOutput output) {
        List<String> rules = Documented.rules().stream()
                .filter(rule -> "+~&".indexOf(rule.charAt(0)) >= 0)
                // Only the interface of ouqiang/delay-queue and the end of a subscription use them.
                .filter(rule -> !rule.equals("+hscan") && !rule.equals("+ping"))
                .toList();
        assertThat(rules).contains("~dq:*", "&dq:signals", "+evalsha").hasSizeGreaterThan(30);
        for (String rule : rules) {
            int logged = output.getAll().length();
            setUserWithout(rule);

            String failure = failureOfAnOperation();

            await("a denial without " + rule)
                    .until(() -> aclLog().stream().anyMatch(entry -> entry.contains(denied(rule))));
            if (WITHOUT_AN_ERROR.contains(rule)) {
                assertThat(failure).as("without " + rule).isNull();
            } else if (failure == null) {
                await("a warning without " + rule)
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> warnings(output, logged).findFirst().isPresent());
            }
            admin().command(Documented.setUser(Documented.rules()));
            // a warning is logged again only after signals arrived
            await().until(() ->
                    context.getBean(DelayQueueEngine.class).signals().confirmed());
        }
    }

    /** The permitted commands are those of the scripts and those that the queue calls outside of scripts. */
    @Test
    void documentedCommandsAreThoseOfTheScripts() throws IOException {
        Set<String> needed = new TreeSet<>(Set.of("eval", "evalsha", "subscribe", "unsubscribe", "info", "ping"));
        for (String module : List.of("delayqueue-core", "delayqueue-http")) {
            try (Stream<Path> files = Files.walk(Path.of("..", "..", module, "src/main/resources"))) {
                for (Path script :
                        files.filter(file -> file.toString().endsWith(".lua")).toList()) {
                    WORD.matcher(Files.readString(script))
                            .results()
                            .map(found -> found.group(1).toLowerCase(Locale.ROOT))
                            .filter(this::isCommand)
                            .forEach(needed::add);
                }
            }
        }

        assertThat(Documented.rules())
                .filteredOn(rule -> rule.startsWith("+"))
                .extracting(rule -> rule.substring(1))
                .containsExactlyInAnyOrderElementsOf(needed);
    }

    private boolean isCommand(String word) {
        return admin().command("COMMAND", "INFO", word) instanceof List<?> found && found.get(0) != null;
    }

    private @Nullable String failureOfAnOperation() {
        String failure = new Exercise(context, Duration.ofSeconds(1)).until(AclTests::isAboutPermissions);
        if (failure != null) {
            return failure;
        }
        try (ConfigurableApplicationContext another = CompatibilityApplication.start(redis, FAST)) {
            return new Exercise(another, Duration.ofSeconds(1)).until(AclTests::isAboutPermissions);
        }
    }

    private static Stream<String> warnings(CapturedOutput output, int from) {
        return output.getAll()
                .substring(from)
                .lines()
                .filter(line -> line.contains(" WARN ") && isAboutPermissions(line));
    }

    private static boolean isAboutPermissions(String message) {
        return message.contains("NOPERM")
                || message.contains("(the user lacks a permission, which ACL LOG names)")
                || message.contains("Check that the Redis user may publish");
    }

    private void setUserWithout(String rule) {
        List<String> rules = new ArrayList<>(Documented.rules());
        rules.remove(rule);
        admin().command("ACL", "LOG", "RESET");
        admin().command(Documented.setUser(rules));
        // Only then are scripts sent as text, and connections set up.
        admin().command("SCRIPT", "FLUSH");
        admin().command("CLIENT", "KILL", "USER", Documented.USER);
    }

    private static String denied(String rule) {
        return switch (rule.charAt(0)) {
            case '~' -> "reason, key,";
            case '&' -> "reason, channel,";
            default -> "object, " + rule.substring(1) + ",";
        };
    }

    private List<String> aclLog() {
        return admin().command("ACL", "LOG") instanceof List<?> entries
                ? entries.stream().map(String::valueOf).toList()
                : List.of();
    }

    private RedisServerProcess admin() {
        return redis.node();
    }
}
