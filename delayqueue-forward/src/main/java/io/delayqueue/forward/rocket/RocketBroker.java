package io.delayqueue.forward.rocket;

import io.delayqueue.forward.Broker;
import io.delayqueue.forward.ForwardException;
import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.Route;
import io.delayqueue.listener.DependencyUnavailableException;
import io.delayqueue.message.Failure;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.rocketmq.client.common.ClientErrorCode;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.protocol.ResponseCode;

/**
 * Forwards to RocketMQ with the application's producer. A message is confirmed when the broker has stored it as its
 * configuration demands. Thread-safe.
 */
public final class RocketBroker implements Broker {

    private static final String TAGS = "tags";
    private static final String CONTENT_TYPE = "content-type";
    private static final Duration NAME_SERVER_TIMEOUT = Duration.ofSeconds(1);

    private static final Set<Integer> UNAVAILABLE = Set.of(
            ClientErrorCode.CONNECT_BROKER_EXCEPTION,
            ClientErrorCode.ACCESS_BROKER_TIMEOUT,
            ClientErrorCode.BROKER_NOT_EXIST_EXCEPTION,
            ClientErrorCode.NO_NAME_SERVER_EXCEPTION,
            ClientErrorCode.REQUEST_TIMEOUT_EXCEPTION);

    private static final Set<Integer> REJECTED_FOR_NOW =
            Set.of(ResponseCode.SYSTEM_ERROR, ResponseCode.SYSTEM_BUSY, ResponseCode.SERVICE_NOT_AVAILABLE);

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
     * A broker that is too busy, starts or stops rejects messages that it will accept later.
     *
     * <p>RocketMQ reports a missing topic, an unavailable name server and a name server that no broker has registered with
     * by the same error. So this method asks the name server for its brokers after it.
     */
    @Override
    public boolean isUnavailable(Throwable failure) {
        if (Failure.findCause(failure, RemotingException.class) != null) {
            return true;
        }
        MQBrokerException rejected = Failure.findCause(failure, MQBrokerException.class);
        if (rejected != null) {
            return REJECTED_FOR_NOW.contains(rejected.getResponseCode());
        }
        MQClientException client = Failure.findCause(failure, MQClientException.class);
        return client != null
                && (UNAVAILABLE.contains(client.getResponseCode())
                        || (client.getResponseCode() == ClientErrorCode.NOT_FOUND_TOPIC_EXCEPTION && !hasBrokers()));
    }

    @SuppressWarnings("deprecation") // the client has no other way to the name server, apart from administration tools
    private boolean hasBrokers() {
        try {
            return !producer.getDefaultMQProducerImpl()
                    .getMqClientFactory()
                    .getMQClientAPIImpl()
                    .getBrokerClusterInfo(NAME_SERVER_TIMEOUT.toMillis())
                    .getBrokerAddrTable()
                    .isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (RemotingException | MQBrokerException e) {
            return false;
        }
    }

    /** Closes nothing, since the producer belongs to the application. */
    @Override
    public void close() {}
}
