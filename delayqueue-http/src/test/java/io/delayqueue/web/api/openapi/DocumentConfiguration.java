package io.delayqueue.web.api.openapi;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.web.api.Call;
import io.delayqueue.web.api.DeadLettersController;
import io.delayqueue.web.api.DocumentController;
import io.delayqueue.web.api.IdempotencyKey;
import io.delayqueue.web.api.JobsController;
import io.delayqueue.web.api.LeasesController;
import io.delayqueue.web.api.MessagesController;
import io.delayqueue.web.api.PageQuery;
import io.delayqueue.web.api.PendingResponse;
import io.delayqueue.web.api.ReceiveController;
import io.delayqueue.web.api.Response;
import io.delayqueue.web.api.TopicsController;
import io.delayqueue.web.api.json.JsonText;
import io.delayqueue.web.api.request.ApiRequest;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.request.PostponeRequest;
import io.delayqueue.web.api.request.Receipt;
import io.delayqueue.web.api.request.ReceiveRequest;
import io.delayqueue.web.api.request.SendAllRequest;
import io.delayqueue.web.api.request.SendRequest;
import io.delayqueue.web.api.request.SettleAllRequest;
import io.delayqueue.web.api.response.Problem;
import io.delayqueue.web.guard.Permission;
import io.delayqueue.web.guard.Requires;
import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.core.converter.ResolvedSchema;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.Paths;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.parameters.RequestBody;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import io.swagger.v3.oas.models.servers.Server;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springdoc.core.customizers.OperationCustomizer;
import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.method.HandlerMethod;

/**
 * Describes the arguments and results of the controllers to springdoc. They use types instead of Spring's annotations.
 */
@SuppressWarnings({"rawtypes", "unchecked"}) // as swagger's models are
@Configuration(proxyBeanMethods = false)
public class DocumentConfiguration {

    private static final String SERVER = "/delayqueue/v1";
    private static final String JSON = "application/json";
    private static final String KEY = "^(?:\"[ !#-\\[\\]-~]{1,255}\"|[!#-+\\--\\[\\]-~]{1,255})$";

    private static final String NO_MESSAGE = "The topic has no live message with this id.";
    private static final String NO_DEAD_LETTER = "The topic has no such dead letter.";
    private static final String NO_JOB = "There is no such job.";
    private static final Map<Integer, String> LEASE_LOST =
            Map.of(410, "The message is no longer leased under this receipt; nothing changed.");

    /** By the names of methods. */
    private static final Map<String, Map<Integer, String>> OWN_PROBLEMS = Map.ofEntries(
            Map.entry("send", Map.of(409, "A message with this id is live.")),
            Map.entry("find", Map.of(404, NO_MESSAGE)),
            Map.entry("cancel", Map.of(404, NO_MESSAGE)),
            Map.entry("reschedule", Map.of(404, NO_MESSAGE, 409, "The message is being handled.")),
            Map.entry(
                    "receive",
                    Map.of(
                            429,
                            "The maximum number of clients already waits on this node, or the client sends too many"
                                    + " requests; retry after Retry-After.")),
            Map.entry("acknowledge", LEASE_LOST),
            Map.entry("retry", LEASE_LOST),
            Map.entry("postpone", LEASE_LOST),
            Map.entry("deadLetter", LEASE_LOST),
            Map.entry("extend", LEASE_LOST),
            Map.entry("release", LEASE_LOST),
            Map.entry("read", Map.of(404, NO_DEAD_LETTER)),
            Map.entry("startJob", Map.of(429, "100 jobs wait or run, or the client sends too many requests.")),
            Map.entry("job", Map.of(404, NO_JOB)),
            Map.entry("stopJob", Map.of(404, NO_JOB)),
            Map.entry("purge", Map.of(404, NO_DEAD_LETTER)),
            Map.entry(
                    "replay",
                    Map.of(
                            404,
                            NO_DEAD_LETTER,
                            409,
                            "A message with its id is live, or it was written by a later" + " version.")));

    private static final Set<Class<?>> BODY_REQUIRED = Set.of(
            SendRequest.class,
            SendAllRequest.class,
            ReceiveRequest.class,
            SettleAllRequest.class,
            PostponeRequest.class);

    private static final Pattern VARIABLE = Pattern.compile("\\{(\\w+)}");

    private static final Map<String, String> VARIABLES = Map.of(
            "topic", "The topic, or '~' followed by the base64url of its UTF-8.",
            "id", "The message's id, or '~' followed by the base64url of its UTF-8.",
            "receipt", "The receipt of the received message.",
            "job", "The job's id.",
            "deadLetter", "The dead letter's id, or '~' followed by the base64url of its UTF-8.");

    static {
        SpringDocUtils config = SpringDocUtils.getConfig()
                .addRestControllers(
                        MessagesController.class,
                        ReceiveController.class,
                        LeasesController.class,
                        DeadLettersController.class,
                        JobsController.class,
                        TopicsController.class,
                        DocumentController.class)
                .addResponseWrapperToIgnore(Response.class)
                .addResponseWrapperToIgnore(PendingResponse.class)
                .addRequestWrapperToIgnore(Call.class, IdempotencyKey.class, PageQuery.class)
                .replaceWithSchema(JsonText.class, new Schema<>())
                .replaceWithSchema(Duration.class, new Schema<>().types(Set.of("string")))
                .replaceWithSchema(
                        OnDuplicate.class,
                        new Schema<>().types(Set.of("string"))._enum(List.of("reject", "keep", "replace")));
        config.addRequestWrapperToIgnore(ApiRequest.class.getPermittedSubclasses());
    }

    @Bean
    SourceComments sourceComments() {
        return new SourceComments();
    }

    @Bean
    OperationCustomizer operations() {
        return (operation, method) -> {
            if (!operation.getResponses().containsKey("200")) {
                return operation; // responds to unknown paths and methods only
            }
            operation.setTags(List.of(tag(method)));
            operation.setSummary(operation.getDescription());
            operation.setDescription(null);
            operation.setParameters(parameters(method));
            operation.setRequestBody(body(method));
            operation.setResponses(responses(operation, method));
            operation.setSecurity(security(method));
            return operation;
        };
    }

    private static String tag(HandlerMethod method) {
        String name = method.getBeanType().getSimpleName();
        return name.substring(0, name.length() - "Controller".length());
    }

    private static @Nullable List<Parameter> parameters(HandlerMethod method) {
        List<Parameter> parameters = new ArrayList<>();
        if (takes(method, IdempotencyKey.class)) {
            parameters.add(new Parameter()
                    .in("header")
                    .name("Idempotency-Key")
                    .description(
                            "Identifies repetitions of this request for 24 hours: they have the response of the first"
                                    + " request, and"
                                    + " send nothing.")
                    .schema(text().maxLength(257).pattern(KEY)));
        }
        if (takes(method, PageQuery.class)) {
            Map<String, String> comments = new SourceComments().getRecordClassParamJavadoc(PageQuery.class);
            parameters.add(query("count", comments, Bounds.count()));
            parameters.add(query(
                    "page",
                    comments,
                    text().pattern(
                                    method.getBeanType() == TopicsController.class
                                            ? "^[0-9A-Za-z_-]{1,171}$"
                                            : "^[0-9a-z]{1,11}\\.[0-9a-z]{1,6}(?:\\.[0-9a-z]{1,2})?$")));
        }
        return parameters.isEmpty() ? null : parameters;
    }

    private static Parameter query(String name, Map<String, String> comments, Schema<?> schema) {
        return new Parameter()
                .in("query")
                .name(name)
                .description(comments.get(name))
                .schema(schema);
    }

    private static Schema<String> text() {
        return new Schema<String>().types(Set.of("string"));
    }

    private static boolean takes(HandlerMethod method, Class<?> type) {
        return Arrays.asList(method.getMethod().getParameterTypes()).contains(type);
    }

    private static @Nullable RequestBody body(HandlerMethod method) {
        return Arrays.stream(method.getMethod().getParameterTypes())
                .filter(type -> ApiRequest.class.isAssignableFrom(type) && type != EmptyRequest.class)
                .findFirst()
                .map(type -> new RequestBody()
                        .required(BODY_REQUIRED.contains(type) || isReschedule(method))
                        .content(content(JSON, isReschedule(method) ? "RescheduleRequest" : name(type))))
                .orElse(null);
    }

    /** A reschedule requires a due time, a replay does not. */
    private static boolean isReschedule(HandlerMethod method) {
        return method.getMethod().getName().equals("reschedule");
    }

    private static Content content(String mediaType, String schema) {
        return new Content()
                .addMediaType(mediaType, new MediaType().schema(new Schema<>().$ref("#/components/schemas/" + schema)));
    }

    private static String name(Class<?> type) {
        return type.getSimpleName();
    }

    private static ApiResponses responses(Operation operation, HandlerMethod method) {
        ApiResponses responses = new ApiResponses();
        boolean empty = method.getMethod().getGenericReturnType().getTypeName().contains("Response<java.lang.Void>");
        Content content = operation.getResponses().get("200").getContent();
        if (empty) {
            responses.addApiResponse("204", new ApiResponse().description("Done."));
        } else if (takes(method, SendRequest.class)) {
            responses.addApiResponse("201", json(content, "Stored; Location has the path of the message."));
            responses.addApiResponse("200", json(content, "A live message with this id was kept."));
        } else {
            responses.addApiResponse("200", json(content, "Done."));
        }
        problems(method)
                .forEach((status, description) -> responses.addApiResponse(
                        String.valueOf(status),
                        new ApiResponse()
                                .description(description)
                                .content(content("application/problem+json", name(Problem.class)))));
        return responses;
    }

    /** Returns the problems of an operation: those of all operations, those of its parameters, and its own. */
    private static Map<Integer, String> problems(HandlerMethod method) {
        Map<Integer, String> problems =
                new TreeMap<>(OWN_PROBLEMS.getOrDefault(method.getMethod().getName(), Map.of()));
        problems.put(400, "The request is invalid; nothing changed.");
        problems.put(401, "The token is missing or unknown.");
        problems.put(
                403,
                "The client is not authorized for the operation or the topic, or the request is a cross-site browser"
                        + " request.");
        problems.putIfAbsent(429, "The client sends too many requests; retry after Retry-After.");
        problems.put(500, "The request failed; the server's log has the cause.");
        if (Arrays.stream(method.getMethod().getParameterTypes()).anyMatch(ApiRequest.class::isAssignableFrom)) {
            problems.put(413, "The body, a payload or the headers are too large.");
            problems.put(415, "The body is not JSON in UTF-8.");
        }
        if (takes(method, IdempotencyKey.class)) {
            problems.put(422, "The idempotency key was used with another request.");
        }
        if (method.getBeanType() != DocumentController.class) {
            problems.put(
                    503, "Redis did not execute the request; nothing changed; retry after Retry-After, if present.");
            if (!method.hasMethodAnnotation(GetMapping.class)) {
                problems.put(504, "The outcome is unknown.");
            }
        }
        return problems;
    }

    /** Returns each sufficient permission for each way to send a token. */
    private static List<SecurityRequirement> security(HandlerMethod method) {
        Set<Permission> enough = EnumSet.of(
                Permission.ADMIN,
                Objects.requireNonNull(method.getMethodAnnotation(Requires.class))
                        .value());
        return Stream.of("bearer", "basic")
                .flatMap(scheme -> enough.stream()
                        .map(permission -> new SecurityRequirement()
                                .addList(scheme, List.of(permission.name().toLowerCase(Locale.ROOT)))))
                .toList();
    }

    private static ApiResponse json(Content content, String description) {
        Schema<?> schema = content.values().iterator().next().getSchema();
        schema = schema.get$ref() == null ? new Schema<>() : schema;
        return new ApiResponse()
                .description(description)
                .content(new Content().addMediaType(JSON, new MediaType().schema(schema)));
    }

    @Bean
    OpenApiCustomizer document() {
        return document -> {
            document.setInfo(new Info()
                    .title("delayqueue")
                    .version("1")
                    .description(
                            "Delayed messages on Redis. See docs/http-api.md for the reference. Each response has the"
                                    + " header X-Request-Id: the one of the request if it has 1 to 128 visible ASCII characters,"
                                    + " else a generated one."));
            document.setServers(List.of(new Server().url(SERVER)));
            document.setTags(null);
            paths(document);
            components(document);
        };
    }

    private static void paths(OpenAPI document) {
        Paths paths = new Paths();
        new TreeMap<>(document.getPaths()).forEach((path, item) -> {
            String own = path.substring(SERVER.length());
            if (own.equals("/**")) {
                return;
            }
            Matcher variables = VARIABLE.matcher(own);
            while (variables.find()) {
                String name = variables.group(1);
                item.addParametersItem(new Parameter()
                        .in("path")
                        .name(name)
                        .required(true)
                        .description(VARIABLES.get(name))
                        .schema(name(name)));
            }
            paths.addPathItem(own, item);
        });
        document.setPaths(paths);
    }

    /** A path segment: a name, or a tilde followed by its base64url. */
    private static Schema<String> name(String variable) {
        Schema<String> name = text().minLength(1);
        return switch (variable) {
            case "topic" -> name.maxLength(base64(DelayMessage.MAX_TOPIC_BYTES));
            case "id" -> name.maxLength(base64(DelayMessage.MAX_ID_BYTES));
            case "receipt" -> name.pattern("^" + Receipt.SYNTAX + "$");
            default -> name;
        };
    }

    private static int base64(int bytes) {
        return 1 + (bytes * 4 + 2) / 3;
    }

    private static void components(OpenAPI document) {
        Components components = new Components();
        List<Class<?>> types = new ArrayList<>(List.of(Problem.class));
        Arrays.stream(ApiRequest.class.getPermittedSubclasses())
                .filter(type -> type != EmptyRequest.class)
                .forEach(types::add);
        Map<String, Schema> schemas = new TreeMap<>(document.getComponents().getSchemas());
        for (Class<?> type : types) {
            ResolvedSchema resolved = ModelConverters.getInstance(true)
                    .resolveAsResolvedSchema(new AnnotatedType(type).resolveAsRef(true));
            schemas.putAll(resolved.referencedSchemas);
        }
        schemas.forEach(DocumentConfiguration::complete);
        Bounds.addTo(schemas);
        components.setSchemas(schemas);
        components.addSecuritySchemes(
                "bearer",
                new SecurityScheme()
                        .type(SecurityScheme.Type.HTTP)
                        .scheme("bearer")
                        .description(
                                "A token of a client of delayqueue.http.clients with the permission that the operation"
                                        + " names. If no clients are configured: credentials of the application's own"
                                        + " security with the authority"
                                        + " delayqueue:produce, delayqueue:consume or delayqueue:admin."));
        components.addSecuritySchemes(
                "basic",
                new SecurityScheme()
                        .type(SecurityScheme.Type.HTTP)
                        .scheme("basic")
                        .description("Any user name, with a token as the password."));
        document.setComponents(components);
    }

    private static void complete(String name, Schema schema) {
        Class<?> type = type(name);
        if (type == null || schema.getProperties() == null) {
            return;
        }
        Map<String, String> comments = new SourceComments().getRecordClassParamJavadoc(type);
        Map<String, Schema> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            String wire = component.getName().equals("waitTime") ? "wait" : component.getName();
            Schema property = (Schema) schema.getProperties().get(wire);
            if (property == null) {
                throw new IllegalStateException(name + " has no " + wire + ", but "
                        + schema.getProperties().keySet());
            }
            if (component.getType() == JsonText.class) {
                property = new Schema<>(); // anything
            }
            if (property.get$ref() == null || comments.get(component.getName()) != null) {
                property.setDescription(comments.get(component.getName()));
            }
            properties.put(wire, property);
            if (!ApiRequest.class.isAssignableFrom(type) && !isNullable(component)) {
                required.add(wire);
            }
        }
        schema.setProperties(properties);
        schema.setRequired(required.isEmpty() ? null : required);
        schema.setDescription(new SourceComments().getClassJavadoc(type));
        schema.setAdditionalProperties(ApiRequest.class.isAssignableFrom(type) ? false : null);
    }

    private static boolean isNullable(RecordComponent component) {
        AnnotatedElement type = component.getAnnotatedType();
        return type.isAnnotationPresent(Nullable.class);
    }

    private static @Nullable Class<?> type(String schema) {
        List<Class<?>> known = new ArrayList<>(List.of(ApiRequest.class.getPermittedSubclasses()));
        known.addAll(List.of(
                Problem.class,
                io.delayqueue.message.Failure.class,
                io.delayqueue.web.api.response.CancelResponse.class,
                io.delayqueue.web.api.response.DeliveryResponse.class,
                io.delayqueue.web.api.response.DeadLetterResponse.class,
                io.delayqueue.web.api.response.DeadLetterResponse.Page.class,
                io.delayqueue.message.DeadLetterKind.class,
                io.delayqueue.admin.DeadLetterGroups.class,
                io.delayqueue.admin.DeadLetterGroup.class,
                io.delayqueue.web.api.response.JobResponse.class,
                io.delayqueue.web.api.response.JobResponse.Jobs.class,
                io.delayqueue.web.api.response.JobResponse.JobPreview.class,
                io.delayqueue.web.api.response.MessageResponse.class,
                io.delayqueue.web.api.response.ReceiveResponse.class,
                io.delayqueue.web.api.response.SendAllResponse.class,
                io.delayqueue.web.api.response.SendResponse.class,
                io.delayqueue.web.api.response.SettleAllResponse.class,
                io.delayqueue.web.api.response.SettleResponse.class,
                io.delayqueue.web.api.response.TopicResponse.class,
                io.delayqueue.web.api.response.TopicResponse.Topics.class));
        return known.stream()
                .filter(type -> name(type).equals(schema))
                .findFirst()
                .orElse(null);
    }
}
