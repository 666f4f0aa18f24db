package io.delayqueue.autoconfigure.aot;

import io.delayqueue.annotation.DeadLetterListener;
import io.delayqueue.annotation.DelayListener;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Payload;

/** An application with a listener of each form. */
@EnableAutoConfiguration
@Configuration(proxyBeanMethods = false)
class AotApplication {

    @Bean
    Listeners listeners() {
        return new Listeners();
    }

    record Single(Part part) {}

    record Part(String name) {}

    record Repeated(int number) {}

    record Composed(int number) {}

    record InMessage(int number) {}

    record InBatch(int number) {}

    record InBatchOfMessages(int number) {}

    record Asynchronous(int number) {}

    record Dead(int number) {}

    record Inherited(int number) {}

    record Narrowed(int number) {}

    @DelayListener("composed")
    @Retention(RetentionPolicy.RUNTIME)
    @interface OnComposed {}

    interface Inherits {

        @DelayListener("inherited")
        void inherited(Inherited payload);
    }

    /** A JDK proxy is called through this interface, which has no annotation. */
    interface Plain {

        void narrowed(Narrowed payload);
    }

    static class Listeners implements Inherits, Plain {

        @DelayListener("single")
        void single(@Payload Single payload) {}

        @DelayListener("repeated-1")
        @DelayListener("repeated-2")
        void repeated(Repeated payload) {}

        @OnComposed
        void composed(Composed payload) {}

        @DelayListener("message")
        void message(Message<InMessage> message) {}

        @DelayListener("batch")
        void batch(List<InBatch> payloads) {}

        @DelayListener("batch-of-messages")
        void batchOfMessages(List<Message<InBatchOfMessages>> messages) {}

        @DelayListener("asynchronous")
        CompletableFuture<Void> asynchronous(Asynchronous payload) {
            return CompletableFuture.completedFuture(null);
        }

        @DeadLetterListener("single")
        void dead(@Payload Dead payload) {}

        @Override
        public void inherited(Inherited payload) {}

        @Override
        @DelayListener("narrowed")
        public void narrowed(Narrowed payload) {}
    }
}
