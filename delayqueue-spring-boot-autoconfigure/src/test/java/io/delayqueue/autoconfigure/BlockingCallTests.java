package io.delayqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.redis.Await;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Blocking calls on threads of Redis clients and of Reactor. */
class BlockingCallTests {

    private static final Duration HOUR = Duration.ofHours(1);

    /** A thread as the queue's client uses it to read replies. */
    private static final class ReplyThread extends Thread implements Await.ClientThread {

        ReplyThread(Runnable task) {
            super(task);
        }
    }

    private static Map<String, Callable<?>> blockingCalls(ApplicationContext context) {
        DelayQueueTemplate template = context.getBean(DelayQueueTemplate.class);
        DelayQueueAdmin admin = context.getBean(DelayQueueAdmin.class);
        DelayQueueInspector inspector = context.getBean(DelayQueueInspector.class);
        DelayMessage message = DelayMessage.to("t").payload("text").build();
        Map<String, Callable<?>> calls = new LinkedHashMap<>();
        calls.put("send", () -> template.send("t", "text"));
        calls.put("sendAll", () -> template.sendAll(List.of(message)));
        calls.put("sendAfterCommit", () -> template.sendAfterCommit(message));
        calls.put("cancelAfterCommit", () -> {
            template.cancelAfterCommit("t", "id");
            return null;
        });
        calls.put("cancel", () -> template.cancel("t", "id"));
        calls.put("reschedule", () -> template.reschedule("t", "id", Duration.ZERO));
        calls.put("find", () -> template.find("t", "id"));
        calls.put("receive", () -> context.getBean(DelayQueueReceiver.class).receive("t", 1, Duration.ZERO));
        calls.put("counts", () -> admin.counts("t"));
        calls.put("pauseTopic", () -> {
            admin.pauseTopic("t");
            return null;
        });
        calls.put("topics", inspector::topics);
        calls.put("nodes", inspector::nodes);
        calls.put("jobs", () -> context.getBean(DelayQueueJobs.class).jobs());
        return calls;
    }

    @Test
    void blockingCallOnAThreadThatReadsRepliesIsRejectedAtOnce() {
        QueueContexts.onRedis().run(context -> {
            context.getBean(DelayQueueTemplate.class).send("t", "text");
            blockingCalls(context).forEach((name, call) -> {
                FutureTask<Object> task = new FutureTask<>(call::call);
                new ReplyThread(task).start();
                assertThat(catchThrowableOfType(ExecutionException.class, task::get))
                        .as(name)
                        .cause()
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("sendAsync");
            });
        });
    }

    @Test
    void callAfterACommitIsRejectedOnThreadsOfReactorThatMustNotBlock() {
        QueueContexts.onRedis().run(context -> {
            DelayQueueTemplate template = context.getBean(DelayQueueTemplate.class);
            template.send(
                    DelayMessage.to("t").id("m").payload("text").delay(HOUR).build());
            for (Runnable call : List.<Runnable>of(
                    () -> template.sendAfterCommit("t", "text"), () -> template.cancelAfterCommit("t", "m"))) {
                CompletableFuture<Object> rejected = Mono.fromRunnable(call)
                        .subscribeOn(Schedulers.parallel())
                        .toFuture();
                assertThat(catchThrowableOfType(ExecutionException.class, rejected::get))
                        .cause()
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("does not wait for the commit of a reactive transaction");
            }
            assertThat(template.find("t", "m")).isPresent();

            Mono.fromRunnable(() -> template.cancelAfterCommit("t", "m"))
                    .subscribeOn(Schedulers.boundedElastic())
                    .toFuture()
                    .join();
            assertThat(template.find("t", "m")).isEmpty();
        });
    }

    /** The application's client assigns its connections to its threads in turn, so that each thread is tried. */
    @Test
    void callbackOfTheApplicationsClientMaySend() {
        QueueContexts.onRedis().run(context -> {
            DelayQueueTemplate template = context.getBean(DelayQueueTemplate.class);
            template.send("t", "first");
            RedisClient client = (RedisClient)
                    context.getBean(LettuceConnectionFactory.class).getRequiredNativeClient();
            for (int thread = 0; thread < Runtime.getRuntime().availableProcessors() + 1; thread++) {
                try (StatefulRedisConnection<String, String> connection = client.connect(StringCodec.UTF8);
                        StatefulRedisConnection<String, String> other = client.connect(StringCodec.UTF8)) {
                    String list = "list" + thread;
                    CompletableFuture<String> sent = connection
                            .async()
                            .blpop(60.0, list)
                            .thenApply(element ->
                                    template.send("t", element.getValue()).id())
                            .toCompletableFuture();
                    other.sync().rpush(list, "element");
                    assertThat(template.find("t", sent.join())).isPresent();
                }
            }
        });
    }
}
