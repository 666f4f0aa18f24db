package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.message.DeadLetter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.scheduling.annotation.Async;
import org.springframework.validation.annotation.Validated;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An invalid declaration fails the start with a message that names the bean, the method and the fix. */
class InvalidListenerTests {

    private static InvalidListenerException failure(Class<?>... beans) {
        return catchThrowableOfType(
                InvalidListenerException.class,
                () -> ListenerApplication.start(beans).close());
    }

    static Stream<Arguments> parameters() {
        return Stream.of(
                Arguments.of(
                        TwoPayloads.class,
                        "Its parameters 'java.lang.String item' and 'int amount' both take the payload",
                        "Annotate the others with @Header"),
                Arguments.of(
                        TwoTypes.class,
                        "different types: java.lang.String and java.lang.Integer.",
                        "Use the same type, or Message<?>."),
                Arguments.of(PayloadExpression.class, "selects the payload by an expression", "Take the whole payload"),
                Arguments.of(
                        NoValidator.class,
                        "'java.lang.String payload' requires validation, but there is no validator.",
                        "Add spring-boot-starter-validation"),
                Arguments.of(
                        HeadersOfText.class,
                        "is annotated with @Headers, but has an unsupported type.",
                        "Make it a Map<String, Object>"),
                Arguments.of(
                        DeadLetterOfALiveMessage.class,
                        "It takes a DeadLetter, which is available only to listeners of dead letters.",
                        "Annotate it with @DeadLetterListener"),
                Arguments.of(
                        ListOfAnything.class,
                        "'java.util.List<?> payloads' does not name the type of its elements",
                        "List<Order>"),
                Arguments.of(RawList.class, "does not name the type of its elements", "List<Order>"));
    }

    static Stream<Arguments> batches() {
        return Stream.of(
                Arguments.of(
                        BatchWithSingle.class,
                        "It takes a List, which means a batch, and also '" + Acknowledgement.class.getName()
                                + " acknowledgement'",
                        "Use List<Delivery>"),
                Arguments.of(
                        BatchOfTwoTypes.class,
                        "different types: java.lang.String and java.lang.Integer.",
                        "Use the same type"),
                Arguments.of(BatchOfDeadLetters.class, "dead letters are handled one by one", "Take a DeadLetter"),
                Arguments.of(
                        BatchSizeWithoutList.class,
                        "It has a batchSize, but the method takes one message.",
                        "Take a List of payloads, or remove batchSize."));
    }

    static Stream<Arguments> results() {
        return Stream.of(
                Arguments.of(ReturnsText.class, "It returns java.lang.String, which is not permitted.", "Return void"),
                Arguments.of(ReturnsFlag.class, "It returns boolean", "a CompletableFuture"),
                Arguments.of(ReturnsPlainFuture.class, "It returns java.util.concurrent.Future", "such as Mono"),
                Arguments.of(
                        ReturnsFlux.class,
                        "It returns reactor.core.publisher.Flux, a stream of many values.",
                        "such as Mono"),
                Arguments.of(
                        AsyncMethod.class,
                        "It is @Async: its messages would be acknowledged before they are handled.",
                        "Remove @Async"),
                Arguments.of(AsyncClass.class, "It is @Async", "Remove @Async"));
    }

    static Stream<Arguments> attributes() {
        return Stream.of(
                Arguments.of(NoTopic.class, "Its topic is not set.", "Set the attribute topic."),
                Arguments.of(
                        UnknownPlaceholder.class,
                        "Its attribute topic is '${no.such}', but this property is not set.",
                        "Set the property, or give a default"),
                Arguments.of(
                        BadExpression.class,
                        "The expression '#{1 +}' of its attribute topic fails.",
                        "Correct the expression."),
                Arguments.of(
                        BadNumber.class,
                        "Its attribute concurrency is 'many', which is not an integer.",
                        "Correct it."),
                Arguments.of(
                        BadNumberElsewhere.class,
                        "Its attribute concurrency is 'many', which is not an integer.",
                        "Correct what '${a:many}' stands for."),
                Arguments.of(
                        BadDuration.class,
                        "Its attribute lease is 'a while', which is not a duration such as 30s",
                        "Correct it."),
                Arguments.of(
                        BadFlag.class,
                        "Its attribute autoStartup is 'yes', which is neither true nor false.",
                        "Correct it."),
                Arguments.of(
                        BadBackoff.class,
                        "Its attribute backoff is 'fixed', which is not a valid back-off: 'fixed' requires a duration,"
                                + " for example 'fixed 5s'.",
                        "Correct it."),
                Arguments.of(
                        BadJitter.class,
                        "Its attribute backoff is 'exponential 1s jitter 2', which is not a valid back-off: jitter must"
                                + " be from 0 to 1, but was 2.0.",
                        "Correct it."),
                Arguments.of(
                        LeaseWithoutUnit.class,
                        "Its attribute lease is '10', which has no unit: write 10s or 10ms.",
                        "Correct it."),
                Arguments.of(
                        BackoffWithoutUnit.class,
                        "Its attribute backoff is 'fixed 5', which is not a valid back-off: '5' has no unit: write 5s or"
                                + " 5ms.",
                        "Correct it."),
                Arguments.of(UnknownPolicy.class, "No bean named 'no.such.policy' available", "Correct it."));
    }

    static Stream<Arguments> once() {
        return Stream.of(
                Arguments.of(
                        OnceWithoutArtifact.class,
                        "It has once, which requires the artifact delayqueue-jdbc.",
                        "Add the dependency io.delayqueue:delayqueue-jdbc, or remove once."),
                Arguments.of(
                        OnceWithFuture.class,
                        "It has once, but its result is asynchronous: the transaction would end before the message is"
                                + " handled.",
                        "Return void, or remove once."),
                Arguments.of(OnceWithMono.class, "It has once, but its result is asynchronous", "Return void"),
                Arguments.of(
                        OnceWithAcknowledgement.class,
                        "It has once and takes an Acknowledgement, but a settlement is not part of the transaction.",
                        "Remove the parameter, and settle the message by returning or throwing; or remove once."),
                Arguments.of(
                        OnceOfAnotherKind.class,
                        "Its attribute once is 'yes', which is neither true nor false.",
                        "Correct it."));
    }

    static Stream<Arguments> containers() {
        return Stream.of(
                Arguments.of(
                        OutOfRange.class,
                        "Its topic or one of its options is wrong: concurrency must be from 1 to 10000, but was 0.",
                        "Correct the value in the declaration, or in delayqueue.topics[orders]"),
                Arguments.of(
                        LongTopic.class,
                        "Its topic or one of its options is wrong: A topic must have",
                        "Correct the value in the declaration"),
                Arguments.of(
                        UnknownFactory.class,
                        "Its container factory, the bean 'no.such', does not exist.",
                        "Name a bean of type DelayListenerContainerFactory"),
                Arguments.of(
                        WrongFactory.class,
                        "Its container factory, the bean 'delayListenerPostProcessor', is a "
                                + DelayListenerAnnotationBeanPostProcessor.class.getName(),
                        "Name a bean of type DelayListenerContainerFactory"));
    }

    @ParameterizedTest
    @MethodSource({"parameters", "batches", "results", "attributes", "once", "containers"})
    void invalidDeclarationFailsTheStart(Class<?> bean, String problem, String fix) {
        InvalidListenerException failure = failure(bean);

        assertThat(failure).isNotNull();
        assertThat(failure.problem()).contains(problem).endsWith(".").doesNotContain("..");
        assertThat(failure.fix()).contains(fix).endsWith(".");
        assertThat(failure.beanName()).endsWith(bean.getSimpleName());
        assertThat(failure.method()).startsWith(bean.getName() + ".handle(");
        assertThat(failure)
                .hasMessageStartingWith("Listener '" + failure.beanName() + "' (" + failure.method() + "): ")
                .hasMessageContaining(problem)
                .hasMessageContaining(fix);
    }

    static class OnceWithoutArtifact {
        @DelayListener(topic = "orders", once = "true")
        void handle(String payload) {}
    }

    static class OnceWithFuture {
        @DelayListener(topic = "orders", once = "true")
        CompletableFuture<Void> handle(String payload) {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class OnceWithMono {
        @DelayListener(topic = "orders", once = "true")
        Mono<Void> handle(List<String> payloads) {
            return Mono.empty();
        }
    }

    static class OnceWithAcknowledgement {
        @DelayListener(topic = "orders", once = "true")
        void handle(String payload, Acknowledgement acknowledgement) {}
    }

    static class OnceOfAnotherKind {
        @DelayListener(topic = "orders", once = "yes")
        void handle(String payload) {}
    }

    static class TwoPayloads {
        @DelayListener("orders")
        void handle(String item, int amount) {}
    }

    static class TwoTypes {
        @DelayListener("orders")
        void handle(String payload, Message<Integer> message) {}
    }

    static class PayloadExpression {
        @DelayListener("orders")
        void handle(@Payload("item") String payload) {}
    }

    static class NoValidator {
        @DelayListener("orders")
        void handle(@Validated String payload) {}
    }

    static class HeadersOfText {
        @DelayListener("orders")
        void handle(@Headers String headers) {}
    }

    static class DeadLetterOfALiveMessage {
        @DelayListener("orders")
        void handle(DeadLetter deadLetter) {}
    }

    static class ListOfAnything {
        @DelayListener("orders")
        void handle(List<?> payloads) {}
    }

    @SuppressWarnings("rawtypes")
    static class RawList {
        @DelayListener("orders")
        void handle(List payloads) {}
    }

    static class BatchWithSingle {
        @DelayListener("orders")
        void handle(List<String> payloads, Acknowledgement acknowledgement) {}
    }

    static class BatchOfTwoTypes {
        @DelayListener("orders")
        void handle(List<String> payloads, List<Message<Integer>> messages) {}
    }

    static class BatchOfDeadLetters {
        @DeadLetterListener("orders")
        void handle(List<String> payloads) {}
    }

    static class BatchSizeWithoutList {
        @DelayListener(topic = "orders", batchSize = "3")
        void handle(String payload) {}
    }

    static class ReturnsText {
        @DelayListener("orders")
        String handle(String payload) {
            return payload;
        }
    }

    static class ReturnsFlag {
        @DelayListener("orders")
        boolean handle(String payload) {
            return true;
        }
    }

    static class ReturnsPlainFuture {
        @DelayListener("orders")
        Future<String> handle(String payload) {
            return null;
        }
    }

    static class ReturnsFlux {
        @DelayListener("orders")
        Flux<String> handle(String payload) {
            return Flux.empty();
        }
    }

    static class AsyncMethod {
        @Async
        @DelayListener("orders")
        void handle(String payload) {}
    }

    @Async
    static class AsyncClass {
        @DeadLetterListener("orders")
        void handle(String payload) {}
    }

    static class NoTopic {
        @DelayListener(id = "none")
        void handle(String payload) {}
    }

    static class UnknownPlaceholder {
        @DelayListener("${no.such}")
        void handle(String payload) {}
    }

    static class BadExpression {
        @DelayListener("#{1 +}")
        void handle(String payload) {}
    }

    static class BadNumber {
        @DelayListener(topic = "orders", concurrency = "many")
        void handle(String payload) {}
    }

    static class BadNumberElsewhere {
        @DelayListener(topic = "orders", concurrency = "${a:many}")
        void handle(String payload) {}
    }

    static class BadDuration {
        @DelayListener(topic = "orders", lease = "a while")
        void handle(String payload) {}
    }

    static class BadFlag {
        @DelayListener(topic = "orders", autoStartup = "yes")
        void handle(String payload) {}
    }

    static class BadBackoff {
        @DelayListener(topic = "orders", backoff = "fixed")
        void handle(String payload) {}
    }

    static class BadJitter {
        @DelayListener(topic = "orders", backoff = "exponential 1s jitter 2")
        void handle(String payload) {}
    }

    static class LeaseWithoutUnit {
        @DelayListener(topic = "orders", lease = "10")
        void handle(String payload) {}
    }

    static class BackoffWithoutUnit {
        @DelayListener(topic = "orders", backoff = "fixed 5")
        void handle(String payload) {}
    }

    static class UnknownPolicy {
        @DelayListener(topic = "orders", backoff = "no.such.policy")
        void handle(String payload) {}
    }

    static class OutOfRange {
        @DelayListener(topic = "orders", concurrency = "0")
        void handle(String payload) {}
    }

    static class LongTopic {
        @DelayListener("#{'x'.repeat(129)}")
        void handle(String payload) {}
    }

    static class UnknownFactory {
        @DelayListener(topic = "orders", containerFactory = "no.such")
        void handle(String payload) {}
    }

    static class WrongFactory {
        @DelayListener(topic = "orders", containerFactory = "delayListenerPostProcessor")
        void handle(String payload) {}
    }

    static class First {
        @DelayListener(topic = "orders", id = "same")
        void handle(String payload) {}
    }

    static class Second {
        @DeadLetterListener(topic = "orders", id = "same")
        void handle(DeadLetter deadLetter) {}
    }

    @Test
    void failureNamesBothListenersOfAnId() {
        InvalidListenerException failure = failure(First.class, Second.class);

        assertThat(failure.beanName()).isEqualTo("invalidListenerTests.Second");
        assertThat(failure.problem())
                .isEqualTo("The id 'same' is already used by the listener of bean 'invalidListenerTests.First' ("
                        + First.class.getName() + ".handle(String)).");
        assertThat(failure.fix()).isEqualTo("Give one of them another id.");
    }

    static class ByCode implements DelayListenerConfigurer {
        @Override
        public void configureDelayListeners(DelayListenerEndpointRegistrar registrar) {
            registrar.register(DelayListenerEndpoint.to(" ")
                    .id("coded")
                    .handler(String.class, deliveries -> null)
                    .build());
        }
    }

    @Test
    void failureNamesTheIdOfAListenerByCode() {
        assertThat(failure(ByCode.class))
                .hasMessageStartingWith("Listener 'coded': Its topic or one of its options is wrong: ");
    }

    interface Marked {}

    static class BehindAnInterface implements Marked {
        @DelayListener("orders")
        public void handle(String payload) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class HiddenByProxy {
        @Bean
        Marked marked() {
            ProxyFactory factory = new ProxyFactory(
                    Marked.class, new org.springframework.aop.target.SingletonTargetSource(new BehindAnInterface()));
            return (Marked) factory.getProxy();
        }
    }

    @Test
    void proxyWithoutTheMethodIsRejected() {
        InvalidListenerException failure = failure(HiddenByProxy.class);
        assertThat(failure.beanName()).isEqualTo("marked");
        assertThat(failure.problem()).isEqualTo("The bean is a proxy through which the method can't be called.");
        assertThat(failure.fix()).startsWith("Make the method public and declare it in an interface of the bean");
    }

    @Test
    void endpointRequiresIdAndHandler() {
        Consumer<DelayListenerEndpoint.Builder> build = DelayListenerEndpoint.Builder::build;
        assertThat(catchThrowableOfType(
                        IllegalStateException.class, () -> build.accept(DelayListenerEndpoint.to("orders"))))
                .hasMessage("A listener of topic 'orders' has no id");
        assertThat(catchThrowableOfType(
                        IllegalStateException.class,
                        () -> build.accept(DelayListenerEndpoint.to("orders").id("one"))))
                .hasMessage("The listener 'one' has no handler");
    }
}
