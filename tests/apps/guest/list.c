// SPDX-License-Identifier: Apache-2.0
#include "list.h"
#include <stdlib.h>

struct list *list_push(struct list *head, long value)
{
    struct list *node = malloc(sizeof *node);
    if (!node)
        abort();
    node->value = value;
    node->next = head;
    return node;
}

static struct list *merge(struct list *a, struct list *b)
{
    struct list head, *tail = &head;
    while (a && b) {
        struct list **least = a->value <= b->value ? &a : &b;
        tail->next = *least;
        tail = *least;
        *least = tail->next;
    }
    tail->next = a ? a : b;
    return head.next;
}

struct list *list_sort(struct list *head)
{
    if (!head || !head->next)
        return head;
    struct list *slow = head, *fast = head->next;
    while (fast && fast->next) {
        slow = slow->next;
        fast = fast->next->next;
    }
    struct list *second = slow->next;
    slow->next = NULL;
    return merge(list_sort(head), list_sort(second));
}

long list_sum(const struct list *head)
{
    return head ? head->value + list_sum(head->next) : 0;
}

void list_free(struct list *head)
{
    while (head) {
        struct list *next = head->next;
        free(head);
        head = next;
    }
}
