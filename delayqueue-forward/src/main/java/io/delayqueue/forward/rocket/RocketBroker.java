package io.delayqueue.forward.rocket;

import io.delayqueue.forward.Broker;
import io.delayqueue.forward.ForwardException;
import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.Route;
import io.delayqueue.listener.DependencyUnavailableException;
import io.delayqueue.message.Failure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.rocketmq.client.common.ClientErrorCode;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.remoting.exception.RemotingException;

/**
 * Forwards to RocketMQ with the application's producer. A message is confirmed when the broker has stored it as its
 * configuration demands. Thread-safe.
 */
public final class RocketBroker implements Broker {

    private static final String TAGS = "tags";
    private static final String CONTENT_TYPE = "content-type";
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

    private static final Set<Integer> UNAVAILABLE = Set.of(
            ClientErrorCode.CONNECT_BROKER_EXCEPTION,
            ClientErrorCode.ACCESS_BROKER_TIMEOUT,
            ClientErrorCode.BROKER_NOT_EXIST_EXCEPTION,
            ClientErrorCode.NO_NAME_SERVER_EXCEPTION,
            ClientErrorCode.REQUEST_TIMEOUT_EXCEPTION);

    private final DefaultMQProducer producer;

    /** Creates a broker that sends with a started producer. */
    public RocketBroker(DefaultMQProducer producer) {
        this.producer = producer;
    }

    @Override
    public Forwarder open(Route route) {
        route.requireDestination("a topic of RocketMQ");
        route.rejectRoutingKey();
        route.rejectPubSub();
        return message -> send(asMessage(message), route.sendTimeout());
    }

    private CompletionStage<?> send(Message message, Duration timeout) throws Exception {
        CompletableFuture<SendResult> sent = new CompletableFuture<>();
        producer.send(
                message,
                new SendCallback() {
                    @Override
                    public void onSuccess(SendResult result) {
                        sent.complete(result);
                    }

                    @Override
                    public void onException(Throwable failure) {
                        sent.completeExceptionally(failure);
                    }
                },
                timeout.toMillis());
        return sent.thenAccept(RocketBroker::requireStored);
    }

    private static void requireStored(SendResult result) {
        if (result.getSendStatus() != SendStatus.SEND_OK) {
            throw new DependencyUnavailableException(
                    "RocketMQ has the message only in memory: " + result.getSendStatus());
        }
    }

    /** The header {@code tags} of the message becomes its tag. Headers with names of RocketMQ are omitted. */
    private static Message asMessage(ForwardedMessage message) {
        Message rocket = new Message(
                message.destination(), message.headers().getOrDefault(TAGS, ""), message.key(), message.body());
        put(rocket, CONTENT_TYPE, message.contentType());
        for (Map.Entry<String, String> header : message.headers().entrySet()) {
            if (!MessageConst.STRING_HASH_SET.contains(header.getKey())) {
                put(rocket, header.getKey(), header.getValue());
            }
        }
        return rocket;
    }

    private static void put(Message rocket, String name, String value) {
        if (isSeparated(name) || isSeparated(value)) {
            throw new ForwardException("Properties of RocketMQ must not contain the characters U+0001 and U+0002");
        }
        if (!name.isBlank() && !value.isBlank()) { // RocketMQ rejects blank properties
            rocket.putUserProperty(name, value);
        }
    }

    private static boolean isSeparated(String text) {
        return text.indexOf('\u0001') >= 0 || text.indexOf('\u0002') >= 0;
    }

    /**
     * RocketMQ reports a missing topic and an unavailable name server by the same error. So this method tries to connect
     * to a name server after it.
     */
    @Override
    public boolean isUnavailable(Throwable failure) {
        if (Failure.findCause(failure, RemotingException.class) != null) {
            return true;
        }
        MQClientException client = Failure.findCause(failure, MQClientException.class);
        return client != null
                && (UNAVAILABLE.contains(client.getResponseCode())
                        || (client.getResponseCode() == ClientErrorCode.NOT_FOUND_TOPIC_EXCEPTION && !isConnectable()));
    }

    private boolean isConnectable() {
        for (String address : producer.getNamesrvAddr().split(";", -1)) {
            int colon = address.lastIndexOf(':');
            try (Socket socket = new Socket()) {
                socket.connect(
                        new InetSocketAddress(
                                address.substring(0, colon).strip(),
                                Integer.parseInt(address.substring(colon + 1).strip())),
                        (int) CONNECT_TIMEOUT.toMillis());
                return true;
            } catch (IOException | RuntimeException e) {
                // tries the next one
            }
        }
        return false;
    }

    /** Closes nothing, since the producer belongs to the application. */
    @Override
    public void close() {}
}
