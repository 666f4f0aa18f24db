package io.delayqueue.broker;

import io.delayqueue.test.redis.TestPorts;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/** An Artemis broker. */
final class ArtemisTestBroker extends JvmBroker {

    private static final long RECEIVE_TIMEOUT = 1_000;
    private static final List<String> QUEUES = List.of(
            "plain", "load", "kills", "hang", "large", "late", "outage", "full", "names", "topic::one", "topic::other");

    private final int port = TestPorts.free();

    ArtemisTestBroker() {
        super("artemis", ArtemisServer.class, QUEUES);
    }

    @Override
    public String to() {
        return "jms";
    }

    @Override
    public List<String> properties() {
        return List.of("test.artemis=" + url());
    }

    String url() {
        return "tcp://127.0.0.1:" + port;
    }

    @Override
    public void start() {
        start(port);
    }

    @Override
    boolean serves() {
        try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(url());
                Connection connection = factory.createConnection()) {
            connection.start();
            return true;
        } catch (JMSException e) {
            return false;
        }
    }

    @Override
    public List<Received> take(String destination) {
        List<Received> taken = new ArrayList<>();
        try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(url());
                Connection connection = factory.createConnection();
                Session session = connection.createSession()) {
            connection.start();
            MessageConsumer consumer = session.createConsumer(session.createQueue(destination));
            for (Message message = consumer.receive(RECEIVE_TIMEOUT);
                    message != null;
                    message = consumer.receive(RECEIVE_TIMEOUT)) {
                taken.add(received(message));
            }
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
        return taken;
    }

    private static Received received(Message message) throws JMSException {
        Map<String, String> headers = new LinkedHashMap<>();
        for (Enumeration<?> names = message.getPropertyNames(); names.hasMoreElements(); ) {
            String name = names.nextElement().toString();
            headers.put(name, message.getStringProperty(name));
        }
        headers.keySet().removeIf(name -> name.startsWith("JMSX"));
        String contentType = headers.remove("content_type");
        String body = message instanceof BytesMessage
                ? "bytes " + HexFormat.of().formatHex(message.getBody(byte[].class))
                : message.getBody(String.class);
        return new Received(headers.get("delayqueue_id"), "", contentType, body, headers);
    }
}
