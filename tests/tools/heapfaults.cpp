/* SPDX-License-Identifier: Apache-2.0
 * Faults of C++ programs with their heap (heapfaults.h): the wrong kind of delete, containers, objects that are gone. */
#include "heapfaults.h"

#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#define HERE __attribute__((noinline)) static
template <class T> static T *hidden(T *p) { return static_cast<T *>(hide(const_cast<void *>(static_cast<const void *>(p)))); }

struct Thing {
    long values[3];
    virtual long Get() { return values[0]; }
    virtual ~Thing() { values[0] = 0; }
    Thing() : values{1, 2, 3} {}
};
struct __attribute__((aligned(64))) Wide {
    char room[64];
};

HERE void new_free(int bad)
{
    int *p = hidden(new int(1));
    if (bad)
        free(hide(p)); /* FAULT mismatched-free */
    else
        delete p;
}
HERE void malloc_delete(int bad)
{
    int *p = static_cast<int *>(hide(malloc(sizeof(int))));
    if (bad)
        operator delete(hide(p)); /* FAULT mismatched-free */
    else
        free(p);
}
HERE void array_delete(int bad)
{
    char *p = hidden(new char[10]);
    if (bad)
        operator delete(hidden(p)); /* FAULT mismatched-free */
    else
        delete[] p;
}
HERE void delete_array(int bad)
{
    char *p = hidden(new char);
    if (bad)
        operator delete[](hidden(p)); /* FAULT mismatched-free */
    else
        delete p;
}
HERE void array_free(int bad)
{
    char *p = hidden(new char[20]);
    if (bad)
        free(hide(p)); /* FAULT mismatched-free */
    else
        delete[] p;
}
HERE void new_realloc(int bad)
{
    char *p = hidden(bad ? static_cast<char *>(operator new(20)) : static_cast<char *>(malloc(20)));
    p = static_cast<char *>(realloc(p, 40)); /* FAULT mismatched-free */
    free(p);
}
HERE void deleted_twice(int bad)
{
    Thing *p = hidden(new Thing);
    void *same = p;
    delete p;
    if (bad)
        operator delete(hide(same)); /* FAULT double-free */
}
HERE void aligned_new(int bad)
{
    Wide *p = hidden(new Wide);
    p->room[bad ? 64 : 63] = 1; /* FAULT invalid-write */
    delete p;
}
HERE void sized_delete(int bad)
{
    long *p = hidden(static_cast<long *>(operator new(24)));
    p[bad ? 3 : 2] = 1; /* FAULT invalid-write */
    operator delete(p, size_t(24));
}
HERE void nothrow_new(int bad)
{
    char *p = hidden(new (std::nothrow) char[any(30)]);
    p[bad ? 30 : 29] = 1; /* FAULT invalid-write */
    delete[] p;
}
HERE void beyond_vector(int bad)
{
    std::vector<int> v(any(5), 1);
    int *p = hidden(v.data());
    use(p[bad ? 5 : 4]); /* FAULT invalid-read */
}
HERE void invalid_iterator(int bad)
{
    std::vector<long> v(3, 7);
    long *first = hidden(v.data());
    for (int i = 0; i < 100; i++)
        v.push_back(i);
    use(*hidden(bad ? first : v.data())); /* FAULT invalid-read */
}
HERE void gone_string(int bad)
{
    const char *text;
    std::string *s = new std::string(any(60), 'x');
    text = s->data();
    if (bad)
        delete s;
    use(hidden(text)[3]); /* FAULT invalid-read */
    if (!bad)
        delete s;
}
HERE void gone_object(int bad)
{
    std::unique_ptr<Thing> p(new Thing);
    Thing *plain = hidden(p.get());
    if (bad)
        p.reset();
    use(hidden(plain)->values[1]); /* FAULT invalid-read */
}
HERE void *load(const long *p) { return (void *)*p; } /* FAULT invalid-read */
HERE void erased(int bad)
{
    std::map<int, long> m;
    for (int i = 0; i < 10; i++)
        m[i] = i;
    long *value = hidden(&m[5]);
    if (bad)
        m.erase(5);
    use(load(value));
}

static void *volatile kept[4];

HERE void lost_object(int bad)
{
    Thing *p = hidden(new Thing); /* FAULT leak-lost */
    kept[0] = bad ? NULL : p;
}
HERE void lost_array(int bad)
{
    std::string *p = hidden(new std::string[any(3)]); /* FAULT leak-lost */
    kept[0] = bad ? NULL : p; /* behind the number of elements: reachable */
}
struct Ring {
    std::shared_ptr<Ring> next;
    long value = 1;
};
HERE void lost_circle(int bad)
{
    std::shared_ptr<Ring> a(new Ring), b(new Ring); /* FAULT leak-lost */
    a->next = b;
    b->next = a;
    if (!bad)
        a->next.reset();
}
HERE void thrown(int bad)
{
    char *p = hidden(new char[40]); /* FAULT leak-lost */
    try {
        std::unique_ptr<char[]> owner(bad ? NULL : p);
        throw std::string("away");
    } catch (const std::string &) {
    }
}

#define CASE(name) {#name, name}
static const struct heap_case cases[] = {CASE(new_free), CASE(malloc_delete), CASE(array_delete), CASE(delete_array), CASE(array_free), CASE(new_realloc), CASE(deleted_twice), CASE(aligned_new),
    CASE(sized_delete), CASE(nothrow_new), CASE(beyond_vector), CASE(invalid_iterator), CASE(gone_string), CASE(gone_object), CASE(erased), CASE(lost_object), CASE(lost_array), CASE(lost_circle),
    CASE(thrown), {NULL, NULL}};

int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
