package io.delayqueue.actuate;

import java.util.List;
import java.util.Objects;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Passes all parameters of a request to the operations of the endpoint {@code delayqueue} as one argument. The framework
 * would pass those that a method declares, and ignore unknown ones. Thread-safe.
 */
public final class ParametersAdvisor implements OperationInvokerAdvisor {

    private static final EndpointId OWN = EndpointId.of(DelayQueueEndpoint.ID);

    @Override
    public OperationInvoker apply(
            EndpointId endpointId, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!endpointId.equals(OWN)) {
            return invoker;
        }
        List<String> selectors = parameters.stream()
                .filter(parameter -> parameter.getAnnotation(Selector.class) != null)
                .map(OperationParameter::getName)
                .toList();
        return context -> invoker.invoke(new InvocationContext(
                Objects.requireNonNull(context.resolveArgument(SecurityContext.class)),
                context.getArguments(),
                OperationArgumentResolver.of(
                        Parameters.class, () -> Parameters.of(context.getArguments(), selectors))));
    }
}
