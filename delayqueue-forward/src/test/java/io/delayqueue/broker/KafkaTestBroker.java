package io.delayqueue.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.test.redis.TestPorts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A Kafka broker. */
final class KafkaTestBroker extends JvmBroker {

    private final int port = TestPorts.free();
    private final int controller = TestPorts.free();
    private final int sasl = TestPorts.free();

    KafkaTestBroker() {
        super("kafka", KafkaServer.class, List.of());
    }

    @Override
    public String to() {
        return "kafka";
    }

    /** The application disables acknowledgements, which forwarding must not adopt. */
    @Override
    public List<String> properties() {
        return List.of(
                "spring.kafka.bootstrap-servers=" + address(),
                "spring.kafka.producer.acks=0",
                "spring.kafka.producer.properties.reconnect.backoff.max.ms=200",
                "spring.kafka.producer.value-serializer=org.apache.kafka.common.serialization.LongSerializer");
    }

    /** The properties by which an application connects with the user shop. */
    List<String> properties(String password) {
        return List.of(
                "spring.kafka.bootstrap-servers=127.0.0.1:" + sasl,
                "spring.kafka.security.protocol=SASL_PLAINTEXT",
                "spring.kafka.properties.sasl.mechanism=PLAIN",
                "spring.kafka.properties.sasl.jaas.config=" + KafkaServer.LOGIN_MODULE
                        + " required username=\"shop\" password=\"" + password + "\";");
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    @Override
    public void start() {
        start(port, controller, sasl);
    }

    @Override
    boolean serves() {
        try (Admin admin = admin()) {
            return !admin.describeCluster().nodes().get(1, TimeUnit.SECONDS).isEmpty();
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            return false;
        }
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", address(), "reconnect.backoff.max.ms", "100"));
    }

    @Override
    public void create(String destination) {
        try (Admin admin = admin()) {
            NewTopic topic = new NewTopic(destination, 3, (short) 1).configs(Map.of("max.message.bytes", "100000"));
            admin.createTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public List<Received> take(String destination) {
        List<Received> taken = new ArrayList<>();
        Map<String, Object> configuration = Map.of("bootstrap.servers", address(), "enable.auto.commit", "false");
        try (KafkaConsumer<String, byte[]> consumer =
                new KafkaConsumer<>(configuration, new StringDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(destination).stream()
                    .map(each -> new TopicPartition(destination, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
                consumer.poll(Duration.ofMillis(200)).forEach(each -> taken.add(received(each)));
            }
        }
        return taken;
    }

    private static Received received(ConsumerRecord<String, byte[]> message) {
        Map<String, String> headers = new LinkedHashMap<>();
        message.headers().forEach(header -> headers.put(header.key(), new String(header.value(), UTF_8)));
        String contentType = headers.remove("content-type");
        return new Received(
                headers.get("delayqueue_id"), message.key(), contentType, new String(message.value(), UTF_8), headers);
    }
}
