package io.delayqueue.web.compat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testing.ForeignProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients in other languages. */
@Timeout(120)
@Tag("long")
@Tag("compatibility")
class CompatClientsTests {

    private static final Path DOCUMENT = Path.of("../docs/http-compat.md");
    private static final Pattern EXAMPLES = Pattern.compile("```shell\n(.*?)```", Pattern.DOTALL);

    private static CompatNode node;

    @TempDir
    private static Path directory;

    @BeforeAll
    static void start() {
        node = CompatNode.start("tomcat", "", "delayqueue.listener.lease=3s", "delayqueue.http.compat.max-wait=8s");
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    /** As users type it. Without a content type, {@code -d} declares a form. */
    @Test
    void curl() throws Exception {
        ForeignProgram.require("curl", "curl");
        assertThat(curl("/push", "{\"topic\":\"c\",\"id\":\"c1\",\"delay\":1,\"ttr\":60,\"body\":\"中文 <b>\"}"))
                .isEqualTo("{\"code\":0,\"message\":\"添加成功\",\"data\":null}");
        assertThat(curl("/pop", "{\"topic\":\"c\"}"))
                .isEqualTo(
                        "{\"code\":0,\"message\":\"操作成功\",\"data\":{\"id\":\"c1\",\"body\":\"中文 \\u003cb\\u003e\"}}");
        assertThat(curl("/finish", "{\"id\":\"c1\"}")).isEqualTo(CompatContract.NOTHING);
        assertThat(run("curl", "-sS", "-X", "PUT", "-d", "{\"id\":\"c1\"}", node.url("/get")))
                .isEqualTo(CompatContract.NOTHING);
        assertThat(run("curl", "-sS", "-G", node.url("/push"))).contains("解析json失败");
    }

    private static String curl(String path, String json) throws Exception {
        return run("curl", "-sS", "-d", json, node.url(path));
    }

    /** Runs the examples of docs/http-compat.md. */
    @Test
    void documentedExamples() throws Exception {
        ForeignProgram.require("curl", "curl");
        ForeignProgram.require("bash", "bash");
        Matcher block = EXAMPLES.matcher(Files.readString(DOCUMENT));
        assertThat(block.find()).isTrue();
        List<String> lines = block.group(1).lines().toList();
        assertThat(lines).hasSize(6);
        String token = "the-token-of-the-tests";
        try (CompatNode guarded = CompatNode.start(
                "tomcat",
                "",
                "delayqueue.http.clients.tests.tokens=" + token,
                "delayqueue.http.clients.tests.permissions=admin")) {
            for (int i = 0; i < lines.size(); i += 2) {
                String command = "QUEUE=" + guarded.url("") + "; TOKEN=" + token + "; "
                        + lines.get(i).replace("curl ", "curl -sS ");
                assertThat(run("bash", "-c", command)).isEqualTo(lines.get(i + 1));
            }
        }
    }

    /** A worker that adds jobs, lets one time out, finishes all and prints the events. */
    @Test
    void nodeJs() throws Exception {
        ForeignProgram.require("node", "nodejs");
        Path script = Files.writeString(directory.resolve("worker.js"), WORKER);

        String output = run("node", script.toString(), String.valueOf(node.port()));

        assertThat(output.lines())
                .contains("early 0", "handled a b c", "again a", "left null null null", "bad 解析json失败");
    }

    private static final String WORKER = """
            const http = require('http');
            const port = Number(process.argv[2]);
            const agent = new http.Agent({ keepAlive: true });
            function call(verb, body) {
              return new Promise((resolve, reject) => {
                const request = http.request({ port, host: '127.0.0.1', agent, path: '/' + verb, method: 'POST' }, response => {
                  const parts = [];
                  response.on('data', part => parts.push(part));
                  response.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString('utf8'))));
                });
                request.on('error', reject);
                request.end(typeof body === 'string' ? body : JSON.stringify(body));
              });
            }
            (async () => {
              const due = {};
              let early = 0;
              for (const id of ['a', 'b', 'c']) {
                const before = Date.now();
                const response = await call('push', { topic: 'node', id, delay: 1, ttr: id === 'a' ? 1 : 60, body: '世界 ' + id });
                if (response.message !== '添加成功') throw new Error(JSON.stringify(response));
                due[id] = before + 1000;
              }
              const handled = [];
              let again = '';
              while (handled.length < 3 || again === '') {
                const { code, data } = await call('pop', { topic: 'other,node' });
                if (code !== 0 || data === null) throw new Error('nothing came');
                if (data.body !== '世界 ' + data.id || Object.keys(data).join() !== 'id,body') throw new Error(JSON.stringify(data));
                if (Date.now() < due[data.id]) early++;
                if (handled.includes(data.id)) {
                  again += data.id;
                } else {
                  handled.push(data.id);
                }
                if (data.id !== 'a' || again !== '') await call('finish', { id: data.id });
              }
              const left = [];
              for (const id of handled) left.push((await call('get', { id })).data);
              console.log('early ' + early);
              console.log('handled ' + handled.sort().join(' '));
              console.log('again ' + again);
              console.log('left ' + left.map(String).join(' '));
              console.log('bad ' + (await call('push', '{')).message);
              agent.destroy();
            })().catch(error => { console.error(error); process.exit(1); });
            """;

    private static String run(String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", ".txt");
        Process process = new ProcessBuilder(new ArrayList<>(List.of(command)))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output, UTF_8);
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }
}
