package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.testing.ForeignProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** The consumers of docs/clients, with a shorter lease and handlers that are slow or fail. */
@Timeout(120)
@Tag("long")
@Tag("compatibility")
class ClientsTests {

    private static final Path CLIENTS = Path.of("../docs/clients");
    private static final int MESSAGES = 20;

    private static ApiNode node;

    @TempDir
    private static Path directory;

    private enum Client {
        PYTHON("python3", "python3", "consumer.py", """
                if message["id"] == "slow": time.sleep(4)
                    if message["id"] == "bad" and message["attempt"] == 1: raise ValueError("no")
                    print("handled", message["id"], flush=True)"""),
        NODE("node", "nodejs", "consumer.mjs", """
                if (message.id === 'slow') await new Promise((resolve) => setTimeout(resolve, 4000));
                  if (message.id === 'bad' && message.attempt === 1) throw new Error('no');
                  console.log('handled', message.id);"""),
        GO("go", "golang-go", "consumer.go", """
                if message["id"] == "slow" { time.Sleep(4 * time.Second) }
                	if message["id"] == "bad" && message["attempt"] == 1.0 { return context.Canceled }
                	log.Println("handled", message["id"])"""),
        BASH("jq", "jq", "consumer.sh", """
                local id; id=$(jq -r .id <<< "$1")
                  if [ "$id" = slow ]; then sleep 4; fi
                  if [ "$id" = bad ] && [ "$(jq .attempt <<< "$1")" = 1 ]; then return 1; fi
                  echo "handled $id\"""");

        private final String program;
        private final String debian;
        private final String file;
        private final String handler;

        Client(String program, String debian, String file, String handler) {
            this.program = program;
            this.debian = debian;
            this.file = file;
            this.handler = handler;
        }

        /** The lines that the handler replaces. */
        private String documentedHandler() {
            return switch (this) {
                case PYTHON -> "print(\"handled\", message[\"id\"], flush=True)";
                case NODE -> "console.log('handled', message.id);";
                case GO -> "log.Println(\"handled\", message[\"id\"])";
                case BASH -> "echo \"handled $(jq -r .id <<< \"$1\")\"";
            };
        }

        List<String> command() throws IOException, InterruptedException {
            String source = Files.readString(CLIENTS.resolve(file));
            assertThat(source).contains(documentedHandler());
            Path copy = Files.writeString(
                    directory.resolve(file),
                    source.replace(documentedHandler(), handler)
                            .replace("LEASE = 30", "LEASE = 3")
                            .replace("LEASE=30", "LEASE=3")
                            .replace("\"30s\"", "\"3s\"")
                            .replace("10 * time.Second", "time.Second")
                            .replace("10s", "100ms"));
            if (this != GO) {
                return List.of(this == BASH ? "bash" : program, copy.toString());
            }
            Path built = directory.resolve("consumer");
            Process build = new ProcessBuilder("go", "build", "-o", built.toString(), copy.toString())
                    .inheritIO()
                    .start();
            assertThat(build.waitFor()).isZero(); // go run does not forward signals
            return List.of(built.toString());
        }
    }

    @BeforeAll
    static void start() {
        node = ApiNode.start();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @ParameterizedTest
    @EnumSource
    void consumerHandlesEachMessageAndStops(Client client) throws Exception {
        ForeignProgram.require(client.program, client.debian);
        String topic = client.name();
        node.template()
                .sendAll(Stream.concat(
                                Stream.of("slow", "bad"),
                                IntStream.range(0, MESSAGES).mapToObj(i -> "m" + i))
                        .map(id -> DelayMessage.to(topic).id(id).payload("text").build())
                        .toList());
        Path output = Files.createTempFile(directory, "output", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(client.command()).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment()
                .putAll(Map.of("QUEUE", node.site() + ApiNode.BASE, "TOKEN", ApiNode.TOKEN, "TOPIC", topic));
        Process process = builder.start();
        try {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> counts(topic).equals(TopicCounts.ZERO));
            process.destroy(); // SIGTERM, during the wait of a receive
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output, UTF_8);
        assertThat(process.exitValue()).as(said).isZero();
        List<String> handled = said.lines()
                .filter(line -> line.contains("handled "))
                .map(line -> line.substring(line.indexOf("handled ") + "handled ".length()))
                .toList();
        assertThat(handled)
                .as(said)
                .hasSize(MESSAGES + 2)
                .doesNotHaveDuplicates()
                .contains("slow", "bad");

        node.template().send(DelayMessage.to(topic).id("late").payload("text").build());
        // a message that is received for the stopped consumer comes back when the write fails or its lease ends
        JsonNode late = node.receiveOne(topic);
        assertThat(late.path("id").asString()).isEqualTo("late");
        assertThat(late.path("crashes").asInt()).isZero();
    }

    private static TopicCounts counts(String topic) {
        return node.bean(DelayQueueAdmin.class).counts(topic);
    }
}
