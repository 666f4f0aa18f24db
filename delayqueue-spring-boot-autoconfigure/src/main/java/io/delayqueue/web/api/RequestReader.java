package io.delayqueue.web.api;

import io.delayqueue.web.api.json.Json;
import io.delayqueue.web.api.request.ApiRequest;
import io.delayqueue.web.guard.AccessGuard;
import io.delayqueue.web.guard.Permission;
import io.delayqueue.web.guard.Requires;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Reads what controllers take: bodies, what the path says, parameters of the query and idempotency keys. What a request has
 * beyond them is refused, for whoever wrote it meant it to do something. Thread-safe.
 */
public final class RequestReader implements HandlerMethodArgumentResolver {

    private static final int PART = 8192;

    private static final Permission[] MOST = {Permission.ADMIN};

    private final ApiSettings settings;
    private final AccessGuard guard;

    /**
     * With what bodies are bounded by, and what decides who is let in.
     *
     * @param guard asked before the first parameter of a method, its {@link Call}, however the request got there
     */
    public RequestReader(ApiSettings settings, AccessGuard guard) {
        this.settings = settings;
        this.guard = guard;
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
            guard.require(
                    request,
                    Objects.requireNonNull(webRequest.getNativeResponse(HttpServletResponse.class)),
                    requires == null ? MOST : requires.value());
            if (!takes(parameter, PageQuery.class)) {
                PageQuery.refuse(request.getQueryString());
            }
            return new Call(request, settings);
        }
        if (type == PageQuery.class) {
            return PageQuery.read(request.getQueryString(), settings.maxCount());
        }
        return type == IdempotencyKey.class ? IdempotencyKey.read(request) : body(request, type);
    }

    private static boolean takes(MethodParameter parameter, Class<?> type) {
        return Stream.of(parameter.getExecutable().getParameterTypes()).anyMatch(each -> each == type);
    }

    private ApiRequest body(HttpServletRequest request, Class<?> type) throws IOException {
        String contentType = request.getContentType();
        if (contentType != null && request.getContentLengthLong() != 0) {
            requireJson(contentType); // of a form nothing may be left to read, since others have read it
        }
        byte[] body = bytes(request);
        if (body.length > 0) {
            requireJson(contentType);
        }
        request.setAttribute(IdempotencyKey.FINGERPRINT, fingerprint(type, body));
        return Objects.requireNonNull(ApiRequest.READERS.get(type)).apply(Json.read(body));
    }

    private byte[] bytes(HttpServletRequest request) throws IOException {
        int max = settings.maxBodyBytes();
        if (request.getContentLengthLong() > max) {
            throw tooLarge();
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream(Math.max(0, request.getContentLength()));
        byte[] part = new byte[PART];
        InputStream in = request.getInputStream();
        for (int read = in.read(part); read >= 0; read = in.read(part)) {
            body.write(part, 0, read);
            if (body.size() > max) {
                throw tooLarge();
            }
        }
        return body.toByteArray();
    }

    private ProblemException tooLarge() {
        return ProblemType.TOO_LARGE.exception("The body has more than delayqueue.http.max-body-size, "
                + settings.maxBodyBytes() + " bytes. Send fewer messages at once, or smaller ones.");
    }

    private static void requireJson(@Nullable String contentType) {
        try {
            MediaType type = contentType == null ? null : MediaType.parseMediaType(contentType);
            if (type != null
                    && MediaType.APPLICATION_JSON.equalsTypeAndSubtype(type)
                    && (type.getCharset() == null || type.getCharset().equals(StandardCharsets.UTF_8))) {
                return;
            }
        } catch (InvalidMediaTypeException e) {
            throw notJson(contentType);
        }
        throw notJson(contentType);
    }

    private static ProblemException notJson(@Nullable String contentType) {
        return ProblemType.UNSUPPORTED_MEDIA_TYPE.exception(
                "A body is JSON in UTF-8, sent with the header Content-Type: application/json"
                        + (contentType == null ? "." : ", but not " + contentType + "."));
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
