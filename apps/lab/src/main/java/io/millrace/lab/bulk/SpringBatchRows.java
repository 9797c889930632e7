// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.client.SpringClients;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.LabException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.redis.RedisItemWriter;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Spring Batch's {@link RedisItemWriter}: one JSON document for each row, in chunks of {@value #CHUNK} rows. The writer
 * is called directly: a step around the writer would only add time.
 */
final class SpringBatchRows implements TableWork.RowSink {

    static final int CHUNK = 1_000;

    private final LettuceConnectionFactory connections;
    private final RedisItemWriter<String, List<String>> writer;
    private Chunk<List<String>> chunk = new Chunk<>();

    private SpringBatchRows(LettuceConnectionFactory connections) {
        this.connections = connections;
        var template = new RedisTemplate<String, List<String>>();
        template.setConnectionFactory(connections);
        template.setKeySerializer(RedisSerializer.string());
        template.setValueSerializer(new JsonText());
        template.afterPropertiesSet();
        this.writer = new RedisItemWriter<>(row -> RowData.KEYSPACE + ":" + row.getFirst(), template);
    }

    static SpringBatchRows open(WorkContext context) {
        var connections = SpringClients.sharedConnection(context.target());
        connections.afterPropertiesSet();
        connections.start();
        return new SpringBatchRows(connections);
    }

    @Override
    public void accept(String[] values) {
        chunk.add(List.of(values));
        if (chunk.size() == CHUNK) {
            finish();
        }
    }

    @Override
    public void finish() {
        try {
            writer.write(chunk);
        } catch (Exception e) {
            throw new LabException("Spring Batch cannot write: rows=" + chunk.size() + ", cause=" + e.getMessage(), e);
        }
        chunk = new Chunk<>();
    }

    @Override
    public void close() {
        connections.destroy();
    }

    /** The cheapest serializer: joins the text of the document. */
    private static final class JsonText implements RedisSerializer<List<String>> {

        @Override
        public byte[] serialize(@Nullable List<String> row) {
            return row == null ? new byte[0] : RowData.json(row).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public List<String> deserialize(byte @Nullable [] bytes) {
            throw new UnsupportedOperationException("the lab reads documents over a connection of its own");
        }
    }
}
