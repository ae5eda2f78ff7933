// libpq's interface. It is compiled only with the trait `Postgres`.
#include <libpq-fe.h>
