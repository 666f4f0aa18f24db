package io.delayqueue.broker;

import org.junit.jupiter.api.Nested;

class ThroughputTests {

    private static final int WIDE = 256;

    @Nested
    class OfKafka extends ThroughputContract {

        @Override
        TestBroker newBroker() {
            return new KafkaTestBroker();
        }

        @Override
        BareClient bare(String destination, int concurrency) {
            return BareClients.kafka(((KafkaTestBroker) broker).address(), destination);
        }

        @Override
        int wide() {
            return WIDE;
        }
    }

    @Nested
    @RequiresRabbit
    class OfRabbit extends ThroughputContract {

        @Override
        TestBroker newBroker() {
            return NativeRabbit.isInstalled() ? new NativeRabbit() : new DockerRabbit();
        }

        @Override
        BareClient bare(String destination, int concurrency) throws Exception {
            return BareClients.rabbit(((RabbitTestBroker) broker).port, destination);
        }

        @Override
        int wide() {
            return WIDE;
        }
    }

    @Nested
    class OfArtemis extends ThroughputContract {

        @Override
        TestBroker newBroker() {
            return new ArtemisTestBroker();
        }

        @Override
        BareClient bare(String destination, int concurrency) throws Exception {
            return BareClients.artemis(((ArtemisTestBroker) broker).url(), destination, concurrency);
        }

        /** Each unconfirmed message holds a thread. */
        @Override
        int wide() {
            return 32;
        }
    }

    @Nested
    class OfRocket extends ThroughputContract {

        @Override
        TestBroker newBroker() {
            return new RocketTestBroker();
        }

        @Override
        BareClient bare(String destination, int concurrency) throws Exception {
            return BareClients.rocket(((RocketTestBroker) broker).address(), destination);
        }

        /** RocketMQ rejects messages that it does not store within 200 ms. */
        @Override
        int wide() {
            return 32;
        }
    }
}
