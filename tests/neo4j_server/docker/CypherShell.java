import org.neo4j.driver.AuthTokens;
import org.neo4j.driver.GraphDatabase;

/**
 * As much of cypher-shell as a health check needs: {@code cypher-shell [--format plain] QUERY}.
 *
 * <p>Runs one query over Bolt as {@code NEO4J_USERNAME} with {@code NEO4J_PASSWORD}, and prints its records. Where
 * that fails, it ends with the driver's exception and exit code 1.
 */
final class CypherShell {
    public static void main(String[] arguments) {
        var login = AuthTokens.basic(System.getenv("NEO4J_USERNAME"), System.getenv("NEO4J_PASSWORD"));
        // In a session's own transaction: a managed one would be tried again past the health check's time-out.
        try (var driver = GraphDatabase.driver("bolt://127.0.0.1:7687", login);
                var session = driver.session()) {
            session.run(arguments[arguments.length - 1]).forEachRemaining(record -> System.out.println(record.asMap()));
        }
    }
}
