// SPDX-License-Identifier: Apache-2.0
// A singly linked list of numbers, for the compiler cases: two files to compile and link.
struct list {
    long value;
    struct list *next;
};
struct list *list_push(struct list *head, long value);
struct list *list_sort(struct list *head);
long list_sum(const struct list *head);
void list_free(struct list *head);
