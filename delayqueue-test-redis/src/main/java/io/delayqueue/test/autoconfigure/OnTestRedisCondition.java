package io.delayqueue.test.autoconfigure;

import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches unless a property sets the address of Redis or disables the Redis for tests. */
final class OnTestRedisCondition extends SpringBootCondition {

    private static final List<String> ADDRESS_PROPERTIES =
            List.of("url", "host", "port", "sentinel.nodes", "cluster.nodes", "masterreplica.nodes");

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        ConditionMessage.Builder message = ConditionMessage.forCondition("Redis for tests");
        if (TestRedisMode.of(environment) == TestRedisMode.NONE) {
            return ConditionOutcome.noMatch(message.because(TestRedisMode.PROPERTY + " is none"));
        }
        return ADDRESS_PROPERTIES.stream()
                .map((name) -> "spring.data.redis." + name)
                .filter((property) -> isSet(environment, property))
                .findFirst()
                .map((property) -> ConditionOutcome.noMatch(message.because(property + " is set")))
                .orElseGet(() -> ConditionOutcome.match(message.because("no property sets the address of Redis")));
    }

    private static boolean isSet(Environment environment, String property) {
        return Binder.get(environment)
                .bind(property, Bindable.listOf(String.class))
                .map(List::stream)
                .orElseGet(Stream::empty)
                .anyMatch((value) -> !value.isBlank());
    }
}
