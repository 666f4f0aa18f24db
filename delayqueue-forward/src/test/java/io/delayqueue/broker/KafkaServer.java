package io.delayqueue.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import kafka.Kafka;
import kafka.tools.StorageTool;

/** The main class of a Kafka broker's JVM. */
final class KafkaServer {

    static final String LOGIN_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule";

    private KafkaServer() {}

    /** Starts with the log of the last run, if there is one. */
    public static void main(String... arguments) throws IOException {
        Path data = Path.of(arguments[0]);
        String port = arguments[1];
        String controller = arguments[2];
        String sasl = arguments[3];
        Path configuration = data.resolveSibling("server.properties");
        List<String> lines = new ArrayList<>(List.of(
                "process.roles=broker,controller",
                "node.id=1",
                "controller.quorum.voters=1@127.0.0.1:" + controller,
                "controller.listener.names=CONTROLLER",
                "inter.broker.listener.name=PLAINTEXT",
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL:SASL_PLAINTEXT",
                "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller
                        + ",SASL://127.0.0.1:" + sasl,
                "advertised.listeners=PLAINTEXT://127.0.0.1:" + port + ",SASL://127.0.0.1:" + sasl,
                "sasl.enabled.mechanisms=PLAIN",
                "listener.name.sasl.plain.sasl.jaas.config=" + LOGIN_MODULE + " required user_shop=\"secret\";",
                "log.dirs=" + data,
                "auto.create.topics.enable=false",
                "broker.session.timeout.ms=2000",
                "broker.heartbeat.interval.ms=500",
                "offsets.topic.replication.factor=1",
                "offsets.topic.num.partitions=1",
                "transaction.state.log.replication.factor=1",
                "transaction.state.log.min.isr=1",
                "share.coordinator.state.topic.replication.factor=1",
                "share.coordinator.state.topic.min.isr=1",
                "group.initial.rebalance.delay.ms=0"));
        Files.write(configuration, lines);
        if (!Files.exists(data.resolve("meta.properties"))) {
            StorageTool.execute(
                    new String[] {"format", "-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", configuration.toString()},
                    System.out);
        }
        Kafka.main(new String[] {configuration.toString()});
    }
}
