package io.delayqueue.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.jspecify.annotations.Nullable;

/** The clients of the brokers, each used as its manual describes for reliable and pipelined sends. */
final class BareClients {

    private static final String JSON = "application/json";

    private BareClients() {}

    static BareClient kafka(String bootstrapServers, String topic) {
        KafkaProducer<String, byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "acks", "all"),
                new StringSerializer(),
                new ByteArraySerializer());
        return new BareClient() {

            @Override
            public void send(
                    String id, Map<String, String> headers, byte[] body, Consumer<@Nullable Throwable> confirmed) {
                ProducerRecord<String, byte[]> message = new ProducerRecord<>(topic, id, body);
                message.headers().add("content-type", JSON.getBytes(UTF_8));
                headers.forEach((name, value) -> message.headers().add(name, value.getBytes(UTF_8)));
                producer.send(message, (stored, failure) -> confirmed.accept(failure));
            }

            @Override
            public void close() {
                producer.close();
            }
        };
    }

    /** Persistent and mandatory messages on a channel with publisher confirms. */
    static BareClient rabbit(int port, String exchange) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        Connection connection = factory.newConnection();
        Channel channel = connection.createChannel();
        NavigableMap<Long, Consumer<@Nullable Throwable>> unconfirmed = new ConcurrentSkipListMap<>();
        channel.confirmSelect();
        channel.addConfirmListener(
                (number, all) -> end(unconfirmed, number, all, null),
                (number, all) -> end(unconfirmed, number, all, new IllegalStateException("rejected")));
        return new BareClient() {

            @Override
            public void send(
                    String id, Map<String, String> headers, byte[] body, Consumer<@Nullable Throwable> confirmed)
                    throws Exception {
                unconfirmed.put(channel.getNextPublishSeqNo(), confirmed);
                BasicProperties properties = new BasicProperties.Builder()
                        .contentType(JSON)
                        .deliveryMode(2)
                        .messageId(id)
                        .headers(new HashMap<>(headers))
                        .build();
                channel.basicPublish(exchange, "key", true, properties, body);
            }

            @Override
            public void close() throws Exception {
                connection.close();
            }
        };
    }

    private static void end(
            NavigableMap<Long, Consumer<@Nullable Throwable>> unconfirmed,
            long number,
            boolean all,
            @Nullable Throwable failure) {
        for (Long each : all ? unconfirmed.headMap(number, true).keySet() : Set.of(number)) {
            Consumer<@Nullable Throwable> confirmed = unconfirmed.remove(each);
            if (confirmed != null) {
                confirmed.accept(failure);
            }
        }
    }

    /** A transaction per message, in as many threads as messages may be unconfirmed. */
    static BareClient artemis(String url, String queue, int threads) throws JMSException {
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(url);
        jakarta.jms.Connection connection = factory.createConnection();
        connection.start();
        ExecutorService senders = Executors.newFixedThreadPool(threads);
        ThreadLocal<Producing> producing = ThreadLocal.withInitial(() -> Producing.open(connection, queue));
        return new BareClient() {

            @Override
            public void send(
                    String id, Map<String, String> headers, byte[] body, Consumer<@Nullable Throwable> confirmed) {
                senders.execute(() -> {
                    try {
                        producing.get().send(headers, new String(body, UTF_8));
                        confirmed.accept(null);
                    } catch (JMSException e) {
                        confirmed.accept(e);
                    }
                });
            }

            @Override
            public void close() throws JMSException {
                senders.shutdown();
                connection.close();
                factory.close();
            }
        };
    }

    private record Producing(Session session, MessageProducer producer) {

        static Producing open(jakarta.jms.Connection connection, String queue) {
            try {
                Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
                MessageProducer producer = session.createProducer(session.createQueue(queue));
                producer.setDeliveryMode(DeliveryMode.PERSISTENT);
                return new Producing(session, producer);
            } catch (JMSException e) {
                throw new IllegalStateException(e);
            }
        }

        void send(Map<String, String> headers, String body) throws JMSException {
            TextMessage message = session.createTextMessage(body);
            message.setStringProperty("content_type", JSON);
            for (Map.Entry<String, String> header : headers.entrySet()) {
                message.setStringProperty(header.getKey(), header.getValue());
            }
            producer.send(message);
            session.commit();
        }
    }

    /** Asynchronous sends; those that a busy broker rejects are repeated. */
    static BareClient rocket(String nameServer, String topic) throws Exception {
        DefaultMQProducer producer = new DefaultMQProducer("bare-" + UUID.randomUUID());
        producer.setNamesrvAddr(nameServer);
        producer.setInstanceName(UUID.randomUUID().toString());
        producer.start();
        return new BareClient() {

            @Override
            public void send(
                    String id, Map<String, String> headers, byte[] body, Consumer<@Nullable Throwable> confirmed)
                    throws Exception {
                Message message = new Message(topic, "", id, body);
                message.putUserProperty("content-type", JSON);
                headers.forEach(message::putUserProperty);
                send(message, confirmed);
            }

            private void send(Message message, Consumer<@Nullable Throwable> confirmed) throws Exception {
                producer.send(message, new SendCallback() {

                    @Override
                    public void onSuccess(SendResult result) {
                        confirmed.accept(null);
                    }

                    @Override
                    public void onException(Throwable failure) {
                        try {
                            if (failure instanceof MQBrokerException broker
                                    && broker.getResponseCode() == ResponseCode.SYSTEM_BUSY) {
                                send(message, confirmed);
                            } else {
                                confirmed.accept(failure);
                            }
                        } catch (Exception e) {
                            confirmed.accept(e);
                        }
                    }
                });
            }

            @Override
            public void close() {
                producer.shutdown();
            }
        };
    }
}
