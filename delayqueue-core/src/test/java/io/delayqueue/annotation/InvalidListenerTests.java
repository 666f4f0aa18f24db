package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.message.DeadLetter;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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

/** An invalid declaration fails the start with a message that names the bean, the method and the fix. */
class InvalidListenerTests {

    private static InvalidListenerException failure(Class<?>... beans) {
        return catchThrowableOfType(
                InvalidListenerException.class,
                () -> ListenerApplication.start(beans).close());
    }

    /** Marks a listener that fails the start. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Invalid {
        String problem();

        String fix();
    }

    static Stream<Class<?>> invalid() {
        return Stream.of(InvalidListenerTests.class.getDeclaredClasses())
                .filter(type -> type.isAnnotationPresent(Invalid.class));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void invalidDeclarationFailsTheStart(Class<?> bean) {
        Invalid expected = bean.getAnnotation(Invalid.class);
        InvalidListenerException failure = failure(bean);

        assertThat(failure).isNotNull();
        assertThat(failure.problem()).contains(expected.problem()).endsWith(".").doesNotContain("..");
        assertThat(failure.fix()).contains(expected.fix()).endsWith(".");
        assertThat(failure.beanName()).endsWith(bean.getSimpleName());
        assertThat(failure.method()).startsWith(bean.getName() + ".handle(");
        assertThat(failure)
                .hasMessageStartingWith("Listener '" + failure.beanName() + "' (" + failure.method() + "): ")
                .hasMessageContaining(expected.problem())
                .hasMessageContaining(expected.fix());
    }

    @Invalid(
            problem =
                    "Its schedule is wrong: cron must be a cron expression such as 0 30 2 * * MON-FRI or a macro such as"
                            + " @daily, but was 0 9 * * MON (",
            fix = "Correct it.")
    static class CronWithFiveFields {
        @DelayListener(topic = "report", cron = "0 9 * * MON")
        void handle() {}
    }

    @Invalid(
            problem = "It has cron, but its handler takes a payload or dead letters.",
            fix = "Take a Delivery, headers or nothing; or remove cron, and put a Schedule with a payload.")
    static class CronWithPayload {
        @DelayListener(topic = "report", cron = "@daily")
        void handle(String payload) {}
    }

    @Invalid(problem = "Its attribute zone is 'Europe/Vaduzz', which is no time zone.", fix = "Correct it.")
    static class CronInUnknownZone {
        @DelayListener(topic = "report", cron = "@daily", zone = "Europe/Vaduzz")
        void handle() {}
    }

    @Invalid(
            problem = "Its attribute cron is '${report.cron:}', which is blank.",
            fix = "Set an expression, or - for no schedule.")
    static class BlankCron {
        @DelayListener(topic = "report", cron = "${report.cron:}")
        void handle() {}
    }

    @Invalid(problem = "It has a zone, but no cron.", fix = "Set cron, or remove zone.")
    static class ZoneWithoutCron {
        @DelayListener(topic = "report", zone = "Europe/Vaduz")
        void handle() {}
    }

    @Invalid(
            problem = "It has once, which requires the artifact delayqueue-jdbc.",
            fix = "Add the dependency io.delayqueue:delayqueue-jdbc, or remove once.")
    static class OnceWithoutArtifact {
        @DelayListener(topic = "orders", once = "true")
        void handle(String payload) {}
    }

    @Invalid(
            problem =
                    "It has once, but its result is asynchronous: the transaction would end before the message is handled.",
            fix = "Return void, or remove once.")
    static class OnceWithFuture {
        @DelayListener(topic = "orders", once = "true")
        CompletableFuture<Void> handle(String payload) {
            return CompletableFuture.completedFuture(null);
        }
    }

    @Invalid(
            problem = "It has once and takes an Acknowledgement, but a settlement is not part of the transaction.",
            fix = "Remove the parameter, and settle the message by returning or throwing; or remove once.")
    static class OnceWithAcknowledgement {
        @DelayListener(topic = "orders", once = "true")
        void handle(String payload, Acknowledgement acknowledgement) {}
    }

    @Invalid(problem = "Its attribute once is 'yes', which is neither true nor false.", fix = "Correct it.")
    static class OnceOfAnotherKind {
        @DelayListener(topic = "orders", once = "yes")
        void handle(String payload) {}
    }

    @Invalid(
            problem = "Its parameters 'java.lang.String item' and 'int amount' both take the payload",
            fix = "Annotate the others with @Header")
    static class TwoPayloads {
        @DelayListener("orders")
        void handle(String item, int amount) {}
    }

    @Invalid(
            problem = "different types: java.lang.String and java.lang.Integer.",
            fix = "Use the same type, or Message<?>.")
    static class TwoTypes {
        @DelayListener("orders")
        void handle(String payload, Message<Integer> message) {}
    }

    @Invalid(problem = "selects the payload by an expression", fix = "Take the whole payload")
    static class PayloadExpression {
        @DelayListener("orders")
        void handle(@Payload("item") String payload) {}
    }

    @Invalid(
            problem = "'java.lang.String payload' requires validation, but there is no validator.",
            fix = "Add spring-boot-starter-validation")
    static class NoValidator {
        @DelayListener("orders")
        void handle(@Validated String payload) {}
    }

    @Invalid(
            problem = "is annotated with @Headers, but has an unsupported type.",
            fix = "Make it a Map<String, Object>")
    static class HeadersOfText {
        @DelayListener("orders")
        void handle(@Headers String headers) {}
    }

    @Invalid(
            problem = "It takes a DeadLetter, which is available only to listeners of dead letters.",
            fix = "Annotate it with @DeadLetterListener")
    static class DeadLetterOfALiveMessage {
        @DelayListener("orders")
        void handle(DeadLetter deadLetter) {}
    }

    @Invalid(problem = "'java.util.List<?> payloads' does not name the type of its elements", fix = "List<Order>")
    static class ListOfAnything {
        @DelayListener("orders")
        void handle(List<?> payloads) {}
    }

    @Invalid(
            problem =
                    "It takes a List, which means a batch, and also 'io.delayqueue.listener.Acknowledgement acknowledgement'",
            fix = "Use List<Delivery>")
    static class BatchWithSingle {
        @DelayListener("orders")
        void handle(List<String> payloads, Acknowledgement acknowledgement) {}
    }

    @Invalid(problem = "different types: java.lang.String and java.lang.Integer.", fix = "Use the same type")
    static class BatchOfTwoTypes {
        @DelayListener("orders")
        void handle(List<String> payloads, List<Message<Integer>> messages) {}
    }

    @Invalid(problem = "dead letters are handled one by one", fix = "Take a DeadLetter")
    static class BatchOfDeadLetters {
        @DeadLetterListener("orders")
        void handle(List<String> payloads) {}
    }

    @Invalid(
            problem = "It has a batchSize, but the method takes one message.",
            fix = "Take a List of payloads, or remove batchSize.")
    static class BatchSizeWithoutList {
        @DelayListener(topic = "orders", batchSize = "3")
        void handle(String payload) {}
    }

    @Invalid(problem = "It returns java.lang.String, which is not permitted.", fix = "Return void")
    static class ReturnsText {
        @DelayListener("orders")
        String handle(String payload) {
            return payload;
        }
    }

    @Invalid(problem = "It returns java.util.concurrent.Future", fix = "such as Mono")
    static class ReturnsPlainFuture {
        @DelayListener("orders")
        Future<String> handle(String payload) {
            return null;
        }
    }

    @Invalid(problem = "It returns reactor.core.publisher.Flux, a stream of many values.", fix = "such as Mono")
    static class ReturnsFlux {
        @DelayListener("orders")
        Flux<String> handle(String payload) {
            return Flux.empty();
        }
    }

    @Invalid(
            problem = "It is @Async: its messages would be acknowledged before they are handled.",
            fix = "Remove @Async")
    static class AsyncMethod {
        @Async
        @DelayListener("orders")
        void handle(String payload) {}
    }

    @Invalid(problem = "Its topic is not set.", fix = "Set the attribute topic.")
    static class NoTopic {
        @DelayListener(id = "none")
        void handle(String payload) {}
    }

    @Invalid(problem = "Its attribute topic contains an empty name.", fix = "Name a topic")
    static class EmptyTopic {
        @DelayListener({"orders", ""})
        void handle(String payload) {}
    }

    @Invalid(problem = "Its attribute topic has 'orders' twice.", fix = "Remove one of them.")
    static class TopicTwice {
        @DelayListener({"orders", "${no.such:orders}"})
        void handle(String payload) {}
    }

    @Invalid(problem = "Its attribute topic is '#{{}}', which stands for no topic.", fix = "Correct the expression")
    static class NoTopicOfAnExpression {
        @DeadLetterListener({"orders", "#{{}}"})
        void handle(DeadLetter deadLetter) {}
    }

    @Invalid(
            problem = "Its attribute topic is '${no.such}', but this property is not set.",
            fix = "Set the property, or give a default")
    static class UnknownPlaceholder {
        @DelayListener("${no.such}")
        void handle(String payload) {}
    }

    @Invalid(problem = "The expression '#{1 +}' of its attribute topic fails.", fix = "Correct the expression.")
    static class BadExpression {
        @DelayListener("#{1 +}")
        void handle(String payload) {}
    }

    @Invalid(problem = "Its attribute concurrency is 'many', which is not an integer.", fix = "Correct it.")
    static class BadNumber {
        @DelayListener(topic = "orders", concurrency = "many")
        void handle(String payload) {}
    }

    @Invalid(
            problem = "Its attribute concurrency is 'many', which is not an integer.",
            fix = "Correct what '${a:many}' stands for.")
    static class BadNumberElsewhere {
        @DelayListener(topic = "orders", concurrency = "${a:many}")
        void handle(String payload) {}
    }

    @Invalid(problem = "Its attribute lease is 'a while', which is not a duration such as 30s", fix = "Correct it.")
    static class BadDuration {
        @DelayListener(topic = "orders", lease = "a while")
        void handle(String payload) {}
    }

    @Invalid(
            problem =
                    "Its attribute backoff is 'fixed', which is not a valid back-off: 'fixed' requires a duration, for example 'fixed 5s'.",
            fix = "Correct it.")
    static class BadBackoff {
        @DelayListener(topic = "orders", backoff = "fixed")
        void handle(String payload) {}
    }

    @Invalid(problem = "Its attribute lease is '10', which has no unit: write 10s or 10ms.", fix = "Correct it.")
    static class LeaseWithoutUnit {
        @DelayListener(topic = "orders", lease = "10")
        void handle(String payload) {}
    }

    @Invalid(problem = "No bean named 'no.such.policy' available", fix = "Correct it.")
    static class UnknownPolicy {
        @DelayListener(topic = "orders", backoff = "no.such.policy")
        void handle(String payload) {}
    }

    @Invalid(
            problem = "Its topic or one of its options is wrong: concurrency must be from 1 to 10000, but was 0.",
            fix = "Correct the value in the declaration, or in delayqueue.topics[orders]")
    static class OutOfRange {
        @DelayListener(topic = "orders", concurrency = "0")
        void handle(String payload) {}
    }

    @Invalid(
            problem = "Its container factory, the bean 'no.such', does not exist.",
            fix = "Name a bean of type DelayListenerContainerFactory")
    static class UnknownFactory {
        @DelayListener(topic = "orders", containerFactory = "no.such")
        void handle(String payload) {}
    }

    @Invalid(
            problem =
                    "Its container factory, the bean 'delayListenerPostProcessor', is a io.delayqueue.annotation.DelayListenerAnnotationBeanPostProcessor",
            fix = "Name a bean of type DelayListenerContainerFactory")
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
                    .handler(String.class, (text, delivery) -> {})
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
