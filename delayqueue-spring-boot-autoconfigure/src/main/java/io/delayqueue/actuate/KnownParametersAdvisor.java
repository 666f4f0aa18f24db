package io.delayqueue.actuate;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Rejects unknown and repeated parameters of the endpoint {@code delayqueue}. The framework ignores unknown parameters.
 * That is dangerous if the caller meant to restrict an action, for example to dead letters before a date. Names with a
 * leading underscore are permitted for other purposes, such as Spring Security's {@code _csrf}. Thread-safe.
 */
public final class KnownParametersAdvisor implements OperationInvokerAdvisor {

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
        List<String> known = parameters.stream()
                .filter(parameter -> parameter.getType() != SecurityContext.class)
                .map(OperationParameter::getName)
                .filter(name -> !selectors.contains(name))
                .toList();
        return context -> {
            Optional<String> objection = context.getArguments().entrySet().stream()
                    .filter(given -> !selectors.contains(given.getKey()))
                    .flatMap(given -> objection(given, known).stream())
                    .findFirst();
            return objection.isPresent()
                    ? DelayQueueEndpoint.error(WebEndpointResponse.STATUS_BAD_REQUEST, objection.get())
                    : invoker.invoke(context);
        };
    }

    private static Optional<String> objection(Map.Entry<String, Object> given, List<String> known) {
        String name = given.getKey();
        if (name.startsWith("_")) {
            return Optional.empty();
        }
        if (!known.contains(name)) {
            return Optional.of("Unknown parameter '" + name + "'. Parameters: " + String.join(", ", known) + ".");
        }
        return given.getValue() instanceof Collection
                ? Optional.of("The parameter '" + name + "' is given more than once.")
                : Optional.empty();
    }
}
