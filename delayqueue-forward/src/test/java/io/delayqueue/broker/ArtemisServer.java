package io.delayqueue.broker;

import java.nio.file.Path;
import java.util.Arrays;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;

/** The main class of an Artemis broker's JVM. */
final class ArtemisServer {

    private ArtemisServer() {}

    /** Starts with the journal of the last run, if there is one. */
    public static void main(String... arguments) throws Exception {
        Path data = Path.of(arguments[0]);
        Configuration configuration = new ConfigurationImpl()
                .setSecurityEnabled(false)
                .setJournalType(JournalType.NIO)
                .setJournalDirectory(data.resolve("journal").toString())
                .setBindingsDirectory(data.resolve("bindings").toString())
                .setPagingDirectory(data.resolve("paging").toString())
                .setLargeMessagesDirectory(data.resolve("large").toString())
                .addAcceptorConfiguration("tcp", "tcp://127.0.0.1:" + arguments[1])
                .addAddressSetting(
                        "#", new AddressSettings().setAutoCreateAddresses(false).setAutoCreateQueues(false))
                .addAddressSetting(
                        "full",
                        new AddressSettings()
                                .setMaxSizeBytes(10_000)
                                .setAddressFullMessagePolicy(AddressFullMessagePolicy.FAIL));
        Arrays.stream(arguments).skip(2).map(ArtemisServer::queue).forEach(configuration::addQueueConfiguration);
        EmbeddedActiveMQ server = new EmbeddedActiveMQ().setConfiguration(configuration);
        server.start();
    }

    /** Creates a queue. If the name is {@code topic::queue}, the queue receives all messages of the topic. */
    private static QueueConfiguration queue(String name) {
        int separator = name.indexOf("::");
        return separator < 0
                ? QueueConfiguration.of(name).setRoutingType(RoutingType.ANYCAST)
                : QueueConfiguration.of(name.substring(separator + 2))
                        .setAddress(name.substring(0, separator))
                        .setRoutingType(RoutingType.MULTICAST);
    }
}
