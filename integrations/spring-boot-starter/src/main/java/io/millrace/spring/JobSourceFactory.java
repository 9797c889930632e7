// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.JdbcSource;
import io.millrace.load.source.RowSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.StringUtils;

/** Creates the source of a job from its keys: a table, a query or CSV files. */
final class JobSourceFactory {

    private final JobProperties keys;
    private final String prefix;
    private final ListableBeanFactory beanFactory;
    private final ResourceLoader resourceLoader;

    JobSourceFactory(
            JobProperties keys, String prefix, ListableBeanFactory beanFactory, ResourceLoader resourceLoader) {
        this.keys = keys;
        this.prefix = prefix;
        this.beanFactory = beanFactory;
        this.resourceLoader = resourceLoader;
    }

    /**
     * Returns the source. Does not open it.
     *
     * @throws KeyException if there is no source, or more than one, or no data source
     */
    RowSource create() {
        List<String> given = new ArrayList<>();
        addIf(StringUtils.hasText(keys.table()), "table", given);
        addIf(StringUtils.hasText(keys.query()), "query", given);
        addIf(!keys.csv().isEmpty(), "csv", given);
        if (given.size() != 1) {
            throw new KeyException(
                    given.isEmpty()
                            ? prefix + " has no source"
                            : "the job has several sources: " + String.join(" and ", given),
                    "Set one of " + prefix + ".table, " + prefix + ".query and " + prefix + ".csv.");
        }
        if (!keys.csv().isEmpty()) {
            refuseOfDatabase(keys.dataSource(), "data-source");
            refuseOfDatabase(keys.fetchSize(), "fetch-size");
            return new CsvSourceFactory(keys, prefix, resourceLoader).create();
        }
        ChangedKeys.of(keys.csvFormat(), LoadJobFactory.WITH_DEFAULTS.csvFormat(), "csv-format.")
                .forEach(key -> refuse(key, given.getFirst() + " is not a CSV file"));
        JdbcOptions options = JdbcOptions.defaults()
                .withFetchSize(new SettingKeys(prefix).valueOf("fetch-size", keys.fetchSize(), JdbcOptions.FETCH_SIZE));
        String bean = dataSourceName();
        DataSource database = dataSource(bean);
        String table = keys.table();
        JdbcSource source = table != null && StringUtils.hasText(table)
                ? JdbcSource.ofTable(database, table, options)
                : JdbcSource.ofQuery(database, String.valueOf(keys.query()), options);
        return source.withName(bean);
    }

    private void addIf(boolean isGiven, String key, List<String> given) {
        if (isGiven) {
            given.add(prefix + "." + key);
        }
    }

    private void refuseOfDatabase(@Nullable Object value, String key) {
        if (value != null) {
            refuse(key, prefix + ".csv is not a database");
        }
    }

    private void refuse(String key, String reason) {
        throw new KeyException(prefix + "." + key + " has no meaning: " + reason, "Remove one of the keys.");
    }

    /** The name of the bean: of the key, or of the only or the primary data source. */
    private String dataSourceName() {
        String named = keys.dataSource();
        if (named != null && StringUtils.hasText(named)) {
            return named;
        }
        String[] names = beanFactory.getBeanNamesForType(DataSource.class);
        if (names.length == 1) {
            return names[0];
        }
        try {
            DataSource primary = beanFactory.getBean(DataSource.class);
            return Arrays.stream(names)
                    .filter(name -> beanFactory.getBean(name).equals(primary))
                    .findFirst()
                    .orElseThrow();
        } catch (NoUniqueBeanDefinitionException several) {
            throw new KeyException(
                    prefix + ".data-source is missing, and there are several data sources: " + Arrays.toString(names),
                    "Set the key to the name of one of these beans.",
                    several);
        } catch (NoSuchBeanDefinitionException none) {
            throw new KeyException(
                    prefix + (keys.table() == null ? ".query" : ".table") + " needs a data source, and there is none",
                    "Add spring-boot-starter-jdbc and the driver of the database, and set spring.datasource.url.",
                    none);
        }
    }

    private DataSource dataSource(String name) {
        try {
            return beanFactory.getBean(name, DataSource.class);
        } catch (NoSuchBeanDefinitionException missing) {
            throw new KeyException(
                    prefix + ".data-source=" + name + " is not a bean of type DataSource",
                    "The data sources are " + Arrays.toString(beanFactory.getBeanNamesForType(DataSource.class)) + ".",
                    missing);
        } catch (BeansException broken) {
            throw new KeyException(
                    prefix + " cannot use the data source " + name + ": " + reason(broken),
                    "Correct spring.datasource.*, or add the driver of the database to the class path.",
                    broken);
        }
    }

    private static String reason(BeansException broken) {
        Throwable cause = NestedExceptionUtils.getMostSpecificCause(broken);
        return String.valueOf(cause.getMessage()).strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
