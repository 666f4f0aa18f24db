package io.delayqueue.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.redis.RedisServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Scripts use no other keys than those that their callers declare, as Redis requires. Redis itself does not check it. */
class DeclaredKeysTests {

    /** {@code 1700000000.123456 [0 lua] "HGET" "key" …} */
    private static final Pattern LINE = Pattern.compile("\\+[\\d.]+ \\[\\d+ (\\S+)] (.*)");

    private static final Set<String> WITHOUT_KEYS = Set.of("TIME", "INFO", "PUBLISH");

    @Test
    void scriptsUseOnlyDeclaredKeys() throws IOException {
        List<Call> calls = monitored(redis -> {
            try (ConfigurableApplicationContext context =
                    CompatibilityApplication.start(redis, Map.of("logging.level.root", "error"))) {
                assertThat(new Exercise(context, Duration.ofSeconds(20)).until(message -> true))
                        .isNull();
            }
        });

        Set<String> undeclared = new TreeSet<>();
        Set<String> scripts = new TreeSet<>();
        int commands = 0;
        Set<String> declared = Set.of();
        for (Call call : calls) {
            String command = call.arguments().get(0).toUpperCase(Locale.ROOT);
            if (command.startsWith("EVAL")) {
                int count = Integer.parseInt(call.arguments().get(2));
                declared = new LinkedHashSet<>(call.arguments().subList(3, 3 + count));
                if (command.equals("EVALSHA")) {
                    scripts.add(call.arguments().get(1));
                }
            } else if (call.client().equals("lua") && !WITHOUT_KEYS.contains(command)) {
                commands++;
                List<String> keys = command.equals("DEL")
                        ? call.arguments().subList(1, call.arguments().size())
                        : call.arguments().subList(1, 2);
                if (!declared.containsAll(keys)) {
                    undeclared.add(command + " " + keys + " but declared " + declared);
                }
            }
        }
        assertThat(scripts).hasSizeGreaterThan(25);
        assertThat(commands).isGreaterThan(500);
        assertThat(undeclared).isEmpty();
    }

    private interface Use {
        void of(RunningRedis redis);
    }

    /** What the server executes, in order. */
    private static List<Call> monitored(Use use) throws IOException {
        try (RunningRedis redis = Access.PLAIN.start(TestServer.embedded())) {
            RedisServerProcess server = redis.node();
            try (Socket monitor = new Socket(server.host(), server.port());
                    BufferedReader lines = new BufferedReader(
                            new InputStreamReader(monitor.getInputStream(), StandardCharsets.UTF_8))) {
                monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(lines.readLine()).isEqualTo("+OK");
                use.of(redis);
                server.command("ECHO", "the end");
                List<Call> calls = new ArrayList<>();
                for (String line = lines.readLine(); !line.contains("\"the end\""); line = lines.readLine()) {
                    Matcher matcher = LINE.matcher(line);
                    if (matcher.matches()) {
                        calls.add(new Call(matcher.group(1), arguments(matcher.group(2))));
                    }
                }
                return calls;
            }
        }
    }

    /** The quoted texts of a line, with their escapes. */
    private static List<String> arguments(String line) {
        List<String> arguments = new ArrayList<>();
        int start = -1;
        for (int i = 0; i < line.length(); i++) {
            char at = line.charAt(i);
            if (at == '\\') {
                i++;
            } else if (at == '"') {
                if (start >= 0) {
                    arguments.add(line.substring(start, i));
                }
                start = start < 0 ? i + 1 : -1;
            }
        }
        return arguments;
    }

    private record Call(String client, List<String> arguments) {}
}
