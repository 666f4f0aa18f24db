package io.delayqueue.web.compat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.web.waiting.LongPolls;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting clients hold neither threads nor connections to Redis. */
@Timeout(120)
@Tag("long")
@Tag("http")
class ManyWaitingTests {

    private static final int TOPICS = 5;

    private static RedisServerProcess redis;
    private CompatNode node;

    @BeforeAll
    static void start() {
        redis = RedisServerProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void neitherThreadsNorConnectionsAreHeldOnTomcat() throws IOException {
        waitOn("tomcat", 3_000);
    }

    @Test
    void neitherThreadsNorConnectionsAreHeldOnJetty() throws IOException {
        waitOn("jetty", 3_000);
    }

    private void waitOn(String server, int clients) throws IOException {
        try (CompatNode started = CompatNode.start(
                server,
                "",
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + redis.port(),
                "server.tomcat.accept-count=1000",
                "server.tomcat.threads.max=20",
                "server.jetty.threads.max=20",
                "delayqueue.http.compat.max-wait=60s")) {
            node = started;
            neitherThreadsNorConnectionsAreHeld(clients);
        }
    }

    private void neitherThreadsNorConnectionsAreHeld(int count) throws IOException {
        warmUp();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        long connections = connections();
        long heap = heap();
        Instant begin = Instant.now();
        try (Selector selector = Selector.open()) {
            List<SocketChannel> clients = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                clients.add(pop(selector, "many" + i % TOPICS));
            }
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> node.bean(LongPolls.class).waiting() == count);
            Duration opened = Duration.between(begin, Instant.now());
            int threadsHeld = ManagementFactory.getThreadMXBean().getThreadCount() - threads;
            long connectionsHeld = connections() - connections;
            System.out.println(count + " clients wait, opened within " + opened.toMillis() + " ms: threads +"
                    + threadsHeld + " of " + threads + ", connections to Redis +" + connectionsHeld + " of "
                    + connections);
            System.out.println("each takes " + (heap() - heap) / count + " bytes of heap, its client's end included");
            // includes the server's twenty threads and some of the engine
            assertThat(threadsHeld).isLessThan(60);
            assertThat(connectionsHeld).isLessThanOrEqualTo(2);

            sendToAll(count);
            Instant sent = Instant.now();
            int received = awaitResponses(selector, count);
            System.out.println(received + " clients received responses within "
                    + Duration.between(sent, Instant.now()).toMillis() + " ms; threads at most "
                    + ManagementFactory.getThreadMXBean().getPeakThreadCount());
            assertThat(received).isEqualTo(count);
            for (SocketChannel client : clients) {
                client.close();
            }
        }
    }

    /** Creates everything that is created on first use. */
    private void warmUp() {
        node.push("warm", "w", 1, 60, "x");
        assertThat(node.ask("pop", "{\"topic\":\"warm\"}")).contains("\"id\":\"w\"");
        node.ask("finish", "{\"id\":\"w\"}");
        ManagementFactory.getThreadMXBean().resetPeakThreadCount();
    }

    private SocketChannel pop(Selector selector, String topic) throws IOException {
        SocketChannel client = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), node.port()));
        String body = "{\"topic\":\"" + topic + "\"}";
        String request = "POST /pop HTTP/1.1\r\nHost: here\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
        client.write(ByteBuffer.wrap(request.getBytes(UTF_8)));
        client.configureBlocking(false);
        client.register(selector, SelectionKey.OP_READ);
        return client;
    }

    private void sendToAll(int count) {
        List<DelayMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(DelayMessage.to("many" + i % TOPICS)
                    .id("m" + i)
                    .payload("x")
                    .lease(Duration.ofMinutes(5))
                    .build());
        }
        node.template().sendAll(messages);
    }

    private static int awaitResponses(Selector selector, int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        int received = 0;
        Instant end = Instant.now().plusSeconds(60);
        while (received < count && Instant.now().isBefore(end)) {
            selector.select(1000);
            for (SelectionKey key : selector.selectedKeys()) {
                buffer.clear();
                int read = ((SocketChannel) key.channel()).read(buffer);
                String text = new String(buffer.array(), 0, Math.max(0, read), UTF_8);
                if (text.contains("\"id\":\"m")) {
                    received++;
                }
                if (read < 0) {
                    key.cancel();
                }
            }
            selector.selectedKeys().clear();
        }
        return received;
    }

    private static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static long connections() {
        return String.valueOf(redis.command("CLIENT", "LIST")).lines().count();
    }
}
