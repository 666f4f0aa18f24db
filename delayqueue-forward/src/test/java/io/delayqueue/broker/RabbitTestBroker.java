package io.delayqueue.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.delayqueue.test.redis.TestPorts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** A RabbitMQ broker, wherever it runs. */
abstract sealed class RabbitTestBroker implements TestBroker permits NativeRabbit, DockerRabbit {

    static final int LARGEST_MESSAGE = 100_000;

    final int port = TestPorts.free();

    @Override
    public final String to() {
        return "rabbitmq";
    }

    /** The application disables confirms, which forwarding must not adopt. */
    @Override
    public final List<String> properties() {
        return List.of(
                "spring.rabbitmq.addresses=127.0.0.1:1,127.0.0.1:" + port,
                "spring.rabbitmq.publisher-confirm-type=none",
                "spring.rabbitmq.publisher-returns=false");
    }

    final boolean serves() {
        try (Connection connection = connect()) {
            return connection.isOpen();
        } catch (IOException | TimeoutException e) {
            return false;
        }
    }

    private Connection connect() throws IOException, TimeoutException {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    /** Creates an exchange, and a queue of the same name that receives all its messages. */
    @Override
    public final void create(String destination) {
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            channel.exchangeDeclare(destination, "topic", true);
            channel.queueDeclare(destination, true, false, false, Map.of());
            channel.queueBind(destination, destination, "#");
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Creates an exchange to which no queue is bound. */
    final void createUnbound(String exchange) {
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            channel.exchangeDeclare(exchange, "topic", true);
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Raises or ends the memory alarm. During the alarm, RabbitMQ blocks connections that publish. */
    final void alarm(boolean raised) {
        control("set_vm_memory_high_watermark", raised ? "0" : "0.4");
    }

    /** Runs {@code rabbitmqctl}. */
    abstract void control(String... arguments);

    @Override
    public final List<Received> take(String destination) {
        List<Received> taken = new ArrayList<>();
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            for (GetResponse message = channel.basicGet(destination, true);
                    message != null;
                    message = channel.basicGet(destination, true)) {
                taken.add(received(message));
            }
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
        return taken;
    }

    private static Received received(GetResponse message) {
        Map<String, String> headers = new LinkedHashMap<>();
        message.getProps().getHeaders().forEach((name, value) -> headers.put(name, value.toString()));
        headers.keySet().removeIf(name -> name.startsWith("spring_"));
        return new Received(
                headers.get("delayqueue_id"),
                message.getProps().getMessageId(),
                message.getProps().getContentType(),
                new String(message.getBody(), UTF_8),
                headers);
    }
}
