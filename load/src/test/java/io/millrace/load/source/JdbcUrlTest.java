// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JdbcUrlTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://h/d?socketFactory=org.example.Evil&socketFactoryArg=x",
                "jdbc:postgresql://h/d?ssl=true&sslfactory=org.example.Evil",
                "jdbc:postgresql://h/d?sslFactoryArg=/etc/passwd",
                "jdbc:postgresql://h/d?sslhostnameverifier=org.example.Evil",
                "jdbc:postgresql://h/d?sslpasswordcallback=org.example.Evil",
                "jdbc:postgresql://h/d?xmlFactoryFactory=org.example.Evil",
                "jdbc:postgresql://h/d?authenticationPluginClassName=org.example.Evil",
                "jdbc:postgresql://h/d?loggerLevel=DEBUG&loggerFile=/tmp/x.jsp",
                "jdbc:postgresql://h/d?jaasApplicationName=x",
                "jdbc:postgresql://h/d?service=x",
                "jdbc:postgresql://h/d?socket%46actory=org.example.Evil",
                "jdbc:postgresql://h/d?socket%2546actory=org.example.Evil",
                "jdbc:mysql://h/d?allowLoadLocalInfile=true",
                "jdbc:mysql://h/d?allowLoadLocalInfileInPath=/",
                "jdbc:mysql://h/d?allowUrlInLocalInfile=true",
                "jdbc:mysql://h/d?AutoDeserialize=true",
                "jdbc:mysql://h/d?a=%zz&autoDeserialize=true",
                "jdbc:mysql://h/d?queryInterceptors=org.example.Evil",
                "jdbc:mysql://h/d?statementInterceptors=org.example.Evil",
                "jdbc:mysql://h/d?connectionLifecycleInterceptors=org.example.Evil",
                "jdbc:mysql://h/d?exceptionInterceptors=org.example.Evil",
                "jdbc:mysql://h/d?propertiesTransform=org.example.Evil",
                "jdbc:mysql://h/d?profilerEventHandler=org.example.Evil",
                "jdbc:mysql://h/d?authenticationPlugins=org.example.Evil",
                "jdbc:mysql://h/d?parseInfoCacheFactory=org.example.Evil",
                "jdbc:mysql://address=(host=h)(autoDeserialize=true)/d",
                "jdbc:mysql://(host=h,autoDeserialize=true)/d",
                "jdbc:mariadb://h/d?allowLocalInfile=true",
                "jdbc:mariadb://h/d?initSql=DROP%20TABLE%20x",
                "jdbc:h2:mem:x;INIT=RUNSCRIPT FROM 'http://h/x.sql'",
                "jdbc:h2:mem:x;init=CREATE ALIAS x AS '…'",
                "jdbc:h2:mem:x;IN\\IT=x",
                "jdbc:h2:mem:x;ın\u0131t=x",
                "jdbc:h2:mem:x; INIT =x",
                "jdbc:h2:mem:x;TRACE_LEVEL_FILE=3",
                "jdbc:h2:mem:x;TRACE_LEVEL_SYSTEM_OUT=3",
                "jdbc:h2:mem:x;DATABASE_EVENT_LISTENER='org.example.Evil'",
                "jdbc:h2:mem:x;JAVA_OBJECT_SERIALIZER='org.example.Evil'",
                "jdbc:h2:mem:x;AUTHENTICATOR=org.example.Evil",
                "jdbc:sqlite:x.db?enable_load_extension=true",
                "jdbc:sqlite::resource:http://h/x.db",
                "jdbc:sqlserver://h;socketFactoryClass=org.example.Evil",
                "jdbc:sqlserver://h;trustManagerClass=org.example.Evil",
                "jdbc:sqlserver://h;jaasConfigurationName=x",
                "jdbc:db2://h/d:clientRerouteServerListJNDIName=ldap;clientRerouteServerListJNDIName=ldap://h/x;",
                "jdbc:derby:x;restoreFrom=/x",
                "jdbc:oracle:thin:@ldap://h/x",
                "jdbc:oracle:thin:@//h/d?TNS_ADMIN=/x",
                "jdbc:log4jdbc:postgresql://h/d",
                "jdbc:p6spy:postgresql://h/d",
                "jdbc:otel:postgresql://h/d",
                "jdbc:tc:postgresql:///d",
                "jdbc:jndi:x",
                "jdbc:postgresql://h/d?preferQueryMode=simple",
                "postgresql://h/d",
                "jdbc:"
            })
    void urlThatLoadsClassesOrReadsFilesIsRefused(String url) {
        JdbcSource source = JdbcSource.ofTable(url, "x", JdbcOptions.defaults());

        assertThatThrownBy(source::open)
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.UNUSABLE))
                .hasMessageStartingWith("cannot use ");
        assertThat(JdbcUrlRules.refusal(url)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db.example:5432/shop?ssl=true&sslmode=verify-full&sslrootcert=/etc/ca.pem&sslcert=c&sslkey=k",
                "jdbc:postgresql://a:1,b:2/shop?targetServerType=preferSecondary&connectTimeout=3&options=-c%20geqo=off",
                "jdbc:postgresql://h/init",
                "jdbc:postgresql://factory.example/listener?ApplicationName=x",
                "jdbc:mysql://h/d?useCursorFetch=true&serverTimezone=UTC&trustCertificateKeyStoreUrl=file:ca",
                "jdbc:h2:file:/data/listener.db;MODE=PostgreSQL;CIPHER=AES",
                "jdbc:h2:mem:x;DB_CLOSE_DELAY=-1",
                "jdbc:sqlite:/data/factory=x.db?cache=shared",
                "jdbc:sqlite::memory:",
                "jdbc:sqlserver://h;databaseName=shop;encrypt=true;authentication=SqlPassword"
            })
    void ordinaryUrlIsAllowed(String url) {
        assertThat(JdbcUrlRules.refusal(url)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "jdbc:postgresql://h:5432/d -> jdbc:postgresql://h:5432/d",
                "jdbc:postgresql://ada:hunter2@h/d -> jdbc:postgresql://h/d",
                "jdbc:postgresql://ada:hunter2/x@h/d -> jdbc:postgresql://h/d",
                "jdbc:postgresql://ada:a@hunter2@h/d -> jdbc:postgresql://h/d",
                "jdbc:postgresql://ada:hunter2?@h/d -> jdbc:postgresql://h/d",
                "jdbc:postgresql://ada:hunter2;x@h/d?a=b -> jdbc:postgresql://h/d?a=b",
                "jdbc:postgresql://ada@h/d -> jdbc:postgresql://h/d",
                "jdbc:postgresql://h/d?user=ada&password=hunter2 -> jdbc:postgresql://h/d",
                "jdbc:postgresql://h/d?user=ada&ssl=true&password=hunter2 -> jdbc:postgresql://h/d?ssl=true",
                "jdbc:postgresql://h/d?ssl=true&PassWord=hunter2&a=b -> jdbc:postgresql://h/d?ssl=true&a=b",
                "jdbc:postgresql://h/d?ssl=true&pass%77ord=hunter2 -> jdbc:postgresql://h/d?ssl=true",
                "jdbc:postgresql://h/d?password=hunter2;x=hunter2,y -> jdbc:postgresql://h/d",
                "jdbc:postgresql://h/d?sslpassword=hunter2&ssl=true -> jdbc:postgresql://h/d?ssl=true",
                "jdbc:postgresql://h/d?user=a@b.example&ssl=true -> jdbc:postgresql://h/d?ssl=true",
                "jdbc:mysql://(host=h,port=1,user=ada,password=hunter2)/d -> jdbc:mysql://(host=h,port=1)/d",
                "jdbc:mysql://address=(host=h)(password=hunter2)/d -> jdbc:mysql://address=(host=h)()/d",
                "jdbc:mysql://(password=hunter2,host=h)/d -> jdbc:mysql://(host=h)/d",
                "jdbc:h2:tcp://h/d;USER=sa;PASSWORD=hunter2;MODE=MySQL -> jdbc:h2:tcp://h/d;MODE=MySQL",
                "jdbc:h2:tcp://h/d;PASSWORD=a\\;hunter2;MODE=MySQL -> jdbc:h2:tcp://h/d;MODE=MySQL",
                "jdbc:sqlserver://h;databaseName=d;user=u;password=hunter2 -> jdbc:sqlserver://h;databaseName=d",
                "jdbc:oracle:thin:scott/hunter2@//h:1521/d -> jdbc:oracle:thin://h:1521/d",
                "jdbc:sqlite:/data/a@b.db -> jdbc:sqlite:/data/a@b.db",
                "jdbc:x://h/d?accessToken=hunter2&trustStorePassword=hunter2&apiKey=hunter2 -> jdbc:x://h/d",
            })
    void nameContainsNoSecret(String url, String name) {
        JdbcUrl parsed = JdbcUrl.of(url);

        assertThat(parsed.name()).isEqualTo(name);
        assertThat(parsed.toString()).isEqualTo(name).doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:mysql://h/d, MySQL Connector/J, -2147483648",
        "jdbc:mysql://h/d?useCursorFetch=true, MySQL Connector/J, 500",
        "jdbc:mariadb://h/d, MariaDB Connector/J, 500",
        "jdbc:mysql://h/d, MariaDB Connector/J, 500",
        "jdbc:postgresql://h/d, PostgreSQL JDBC Driver, 500"
    })
    void fetchSizeMakesTheDriverStream(String url, String driver, int expected) {
        JdbcUrl parsed = JdbcUrl.of(url);

        assertThat(SqlDialect.of(parsed).fetchSize(driver, parsed, 500)).isEqualTo(expected);
    }
}
