package io.delayqueue.web.api.openapi;

import io.delayqueue.message.OnDuplicate;
import io.delayqueue.web.api.Answer;
import io.delayqueue.web.api.Call;
import io.delayqueue.web.api.DeadLettersController;
import io.delayqueue.web.api.DocumentController;
import io.delayqueue.web.api.IdempotencyKey;
import io.delayqueue.web.api.LeasesController;
import io.delayqueue.web.api.MessagesController;
import io.delayqueue.web.api.PageQuery;
import io.delayqueue.web.api.ReceiveController;
import io.delayqueue.web.api.answer.Problem;
import io.delayqueue.web.api.json.JsonText;
import io.delayqueue.web.api.request.ApiRequest;
import io.delayqueue.web.api.request.EmptyRequest;
import io.delayqueue.web.api.request.SendAllRequest;
import io.delayqueue.web.api.request.SendRequest;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springdoc.core.customizers.OperationCustomizer;
import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.method.HandlerMethod;

/** Tells springdoc what the controllers take and give: they have types of their own for what Spring has annotations for. */
@SuppressWarnings({"rawtypes", "unchecked"}) // as swagger's models are
@Configuration(proxyBeanMethods = false)
public class DocumentConfiguration {

    private static final String SERVER = "/delayqueue/v1";
    private static final String JSON = "application/json";
    private static final Pattern VARIABLE = Pattern.compile("\\{(\\w+)}");

    private static final Map<String, String> VARIABLES = Map.of(
            "topic", "The topic, or '~' and the base64url of its UTF-8.",
            "id", "The message's id, or '~' and the base64url of its UTF-8.",
            "token", "The token of the lease under which the message was received.",
            "letter", "The dead letter's id, or '~' and the base64url of its UTF-8.");

    static {
        SpringDocUtils config = SpringDocUtils.getConfig()
                .addRestControllers(
                        MessagesController.class,
                        ReceiveController.class,
                        LeasesController.class,
                        DeadLettersController.class,
                        DocumentController.class)
                .addResponseWrapperToIgnore(Answer.class)
                .addRequestWrapperToIgnore(Call.class, IdempotencyKey.class, PageQuery.class)
                .replaceWithSchema(JsonText.class, new Schema<>())
                .replaceWithSchema(
                        Duration.class,
                        new Schema<>()
                                .types(new java.util.LinkedHashSet<>(List.of("string", "integer")))
                                .examples(List.of("PT10M", "10m", 600_000)))
                .replaceWithSchema(
                        OnDuplicate.class,
                        new Schema<>().types(Set.of("string"))._enum(List.of("refuse", "keep", "replace")));
        ApiRequest.READERS.keySet().forEach(config::addRequestWrapperToIgnore);
    }

    @Bean
    SourceComments sourceComments() {
        return new SourceComments();
    }

    @Bean
    OperationCustomizer operations() {
        return (operation, method) -> {
            if (!operation.getResponses().containsKey("200")) {
                return operation; // answers what is no part of the interface
            }
            operation.setTags(List.of(tag(method)));
            operation.setSummary(operation.getDescription());
            operation.setDescription(null);
            operation.setParameters(parameters(method));
            operation.setRequestBody(body(method));
            operation.setResponses(responses(operation, method));
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
                            "Marks the repeats of this request for 24 hours: they are answered as the first, and send"
                                    + " nothing.")
                    .schema(text().maxLength(255)));
        }
        if (takes(method, PageQuery.class)) {
            Map<String, String> comments = new SourceComments().getRecordClassParamJavadoc(PageQuery.class);
            parameters.add(query("count", comments, new Schema<Integer>().types(Set.of("integer"))));
            parameters.add(query("page", comments, text()));
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
                        .required(type == SendRequest.class || type == SendAllRequest.class)
                        .content(content(JSON, type)))
                .orElse(null);
    }

    private static Content content(String mediaType, Class<?> type) {
        return new Content()
                .addMediaType(
                        mediaType, new MediaType().schema(new Schema<>().$ref("#/components/schemas/" + name(type))));
    }

    private static String name(Class<?> type) {
        return type.getSimpleName();
    }

    /** The comments say where another status is possible. */
    private static ApiResponses responses(Operation operation, HandlerMethod method) {
        ApiResponses responses = new ApiResponses();
        boolean empty = method.getMethod().getGenericReturnType().getTypeName().contains("Answer<java.lang.Void>");
        Content content = operation.getResponses().get("200").getContent();
        if (empty) {
            responses.addApiResponse("204", new ApiResponse().description("Done."));
        } else if (takes(method, SendRequest.class)) {
            responses.addApiResponse("201", json(content, "Stored; Location says where."));
            responses.addApiResponse("200", json(content, "A live message of that id was kept."));
        } else {
            responses.addApiResponse("200", json(content, "Done."));
        }
        responses.addApiResponse(
                "default",
                new ApiResponse().description("Not done.").content(content("application/problem+json", Problem.class)));
        return responses;
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
                    .description("Delayed messages on Redis. What all of this means: docs/http-api.md."));
            document.setServers(List.of(new Server().url(SERVER)));
            document.setSecurity(
                    List.of(new SecurityRequirement().addList("bearer"), new SecurityRequirement().addList("basic")));
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
                        .schema(text()));
            }
            paths.addPathItem(own, item);
        });
        document.setPaths(paths);
    }

    private static void components(OpenAPI document) {
        Components components = new Components();
        List<Class<?>> types = new ArrayList<>(List.of(Problem.class));
        ApiRequest.READERS.keySet().stream()
                .filter(type -> type != EmptyRequest.class)
                .forEach(types::add);
        Map<String, Schema> schemas = new TreeMap<>(document.getComponents().getSchemas());
        for (Class<?> type : types) {
            ResolvedSchema resolved = ModelConverters.getInstance(true)
                    .resolveAsResolvedSchema(new AnnotatedType(type).resolveAsRef(true));
            schemas.putAll(resolved.referencedSchemas);
        }
        schemas.forEach(DocumentConfiguration::complete);
        components.setSchemas(schemas);
        components.addSecuritySchemes(
                "bearer",
                new SecurityScheme()
                        .type(SecurityScheme.Type.HTTP)
                        .scheme("bearer")
                        .description(
                                "A token of delayqueue.http.tokens, or what the application's own security takes."));
        components.addSecuritySchemes(
                "basic",
                new SecurityScheme()
                        .type(SecurityScheme.Type.HTTP)
                        .scheme("basic")
                        .description("Any name, and a token as password."));
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
            Schema property = (Schema) schema.getProperties().get(component.getName());
            String wire = component.getName().equals("waitTime") ? "wait" : component.getName();
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
            boolean ofRequest = ApiRequest.class.isAssignableFrom(type);
            if (ofRequest ? type == SendAllRequest.class : !isNullable(component)) {
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
        List<Class<?>> known = new ArrayList<>(ApiRequest.READERS.keySet());
        known.addAll(List.of(
                Problem.class,
                io.delayqueue.message.Failure.class,
                io.delayqueue.web.api.answer.CancelledAnswer.class,
                io.delayqueue.web.api.answer.DeliveryAnswer.class,
                io.delayqueue.web.api.answer.DeliveryAnswer.Lease.class,
                io.delayqueue.web.api.answer.LetterAnswer.class,
                io.delayqueue.web.api.answer.LetterAnswer.Page.class,
                io.delayqueue.web.api.answer.MessageAnswer.class,
                io.delayqueue.web.api.answer.PulledAnswer.class,
                io.delayqueue.web.api.answer.PurgedAnswer.class,
                io.delayqueue.web.api.answer.ReplayedAnswer.class,
                io.delayqueue.web.api.answer.SentAllAnswer.class,
                io.delayqueue.web.api.answer.SentAnswer.class));
        return known.stream()
                .filter(type -> name(type).equals(schema))
                .findFirst()
                .orElse(null);
    }
}
