package io.delayqueue.web.api;

import io.delayqueue.management.guard.Client;
import io.delayqueue.management.guard.Permission;
import io.delayqueue.web.api.json.Json;
import io.delayqueue.web.api.request.ApiRequest;
import io.delayqueue.web.guard.AccessGuard;
import io.delayqueue.web.guard.Requires;
import io.delayqueue.web.waiting.RequestBodies;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Resolves the arguments of controllers: bodies, path variables, query parameters and idempotency keys. Unknown fields
 * and parameters are rejected, since ignoring them would hide mistakes of the client. Thread-safe.
 */
public final class RequestReader implements HandlerMethodArgumentResolver {

    private static final Permission[] ADMIN_ONLY = {Permission.ADMIN};

    private final ApiSettings settings;
    private final AccessGuard guard;
    private final RequestBodies bodies;

    /**
     * Creates a reader.
     *
     * @param settings bounds of counts
     * @param guard authorizes each request when the {@link Call}, the first parameter of each method, is resolved
     * @param bodies reads bodies
     */
    public RequestReader(ApiSettings settings, AccessGuard guard, RequestBodies bodies) {
        this.settings = settings;
        this.guard = guard;
        this.bodies = bodies;
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        Class<?> type = parameter.getParameterType();
        return type == Call.class
                || type == PageQuery.class
                || type == IdempotencyKey.class
                || ApiRequest.class.isAssignableFrom(type);
    }

    @Override
    public Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer mavContainer,
            NativeWebRequest webRequest,
            @Nullable WebDataBinderFactory binderFactory)
            throws IOException {
        HttpServletRequest request = Objects.requireNonNull(webRequest.getNativeRequest(HttpServletRequest.class));
        Class<?> type = parameter.getParameterType();
        if (type == Call.class) {
            Requires requires = parameter.getMethodAnnotation(Requires.class);
            Client client = guard.authorize(
                    request,
                    Objects.requireNonNull(webRequest.getNativeResponse(HttpServletResponse.class)),
                    parameter.getExecutable().getName(),
                    requires == null ? ADMIN_ONLY : requires.value());
            if (!List.of(parameter.getExecutable().getParameterTypes()).contains(PageQuery.class)) {
                PageQuery.reject(request.getQueryString());
            }
            return new Call(request, client, settings);
        }
        if (type == PageQuery.class) {
            return PageQuery.read(request.getQueryString(), settings.maxCount());
        }
        return type == IdempotencyKey.class ? IdempotencyKey.read(request) : body(request, type);
    }

    private ApiRequest body(HttpServletRequest request, Class<?> type) throws IOException {
        String contentType = request.getHeader("Content-Type"); // the interface hides it from filters
        if (contentType != null && request.getContentLengthLong() != 0) {
            requireJson(contentType); // check before reading: the container may already have read the body of a form
        }
        byte[] body = bodies.read(request);
        if (body == null) {
            throw ProblemType.TOO_LARGE.exception(
                    "The body exceeds the maximum size (delayqueue.http.max-body-size) of " + bodies.maxBytes()
                            + " bytes. Send fewer or smaller messages in a request.");
        }
        if (body.length > 0) {
            requireJson(contentType);
        }
        if (request.getHeader(IdempotencyKey.HEADER) != null) {
            request.setAttribute(IdempotencyKey.FINGERPRINT, fingerprint(type, body));
        }
        return (ApiRequest) Json.read(body, type);
    }

    private static void requireJson(@Nullable String contentType) {
        if (contentType == null || !isJson(contentType)) {
            throw ProblemType.UNSUPPORTED_MEDIA_TYPE.exception(
                    "The body must be JSON in UTF-8, sent with the header Content-Type: application/json"
                            + (contentType == null ? "." : ", but the header was " + contentType + "."));
        }
    }

    private static boolean isJson(String contentType) {
        try {
            MediaType type = MediaType.parseMediaType(contentType);
            return MediaType.APPLICATION_JSON.equalsTypeAndSubtype(type)
                    && (type.getCharset() == null || type.getCharset().equals(StandardCharsets.UTF_8));
        } catch (InvalidMediaTypeException e) {
            return false;
        }
    }

    private static String fingerprint(Class<?> type, byte[] body) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(type.getSimpleName().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(body), 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
